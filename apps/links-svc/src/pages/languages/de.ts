import type { PageTexts } from './page-texts.ts';

export const de: PageTexts = {
  language: 'de',
  notFound: {
    title: 'Link nicht gefunden',
    text: 'Diesen Kurzlink gibt es nicht. Vielleicht ist er falsch geschrieben oder wurde entfernt.',
  },
  expired: {
    title: 'Link abgelaufen',
    text: 'Der Besitzer dieses Kurzlinks hat dessen Nutzung begrenzt. Die Grenze ist erreicht.',
  },
  password: {
    title: 'Passwort erforderlich',
    errorTitle: 'Fehler: Passwort erforderlich',
    text: 'Dieser Link ist geschützt. Geben Sie sein Passwort ein, um fortzufahren.',
    label: 'Passwort',
    wrong: 'Das Passwort ist nicht richtig. Prüfen Sie es und versuchen Sie es noch einmal.',
    tooMany: 'Zu viele falsche Passwörter. Warten Sie eine Minute und versuchen Sie es dann noch einmal.',
    button: 'Weiter',
  },
  link: {
    title: 'Kurzlink',
    leadsTo: 'Der Link führt zu:',
    unknown: 'Wohin der Link führt, sehen Sie, sobald Sie ihm folgen.',
    button: 'Weiter',
  },
};
