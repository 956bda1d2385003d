import type { PageTexts } from './page-texts.ts';

export const fr: PageTexts = {
  language: 'fr',
  notFound: {
    title: 'Lien introuvable',
    text: 'Ce lien court n’existe pas. Il a peut-être été mal saisi ou supprimé.',
  },
  expired: {
    title: 'Lien expiré',
    text: 'Le propriétaire de ce lien court en a limité l’utilisation. La limite est atteinte.',
  },
  password: {
    title: 'Mot de passe requis',
    errorTitle: 'Erreur\u00a0: mot de passe requis',
    text: 'Ce lien est protégé. Saisissez son mot de passe pour continuer.',
    label: 'Mot de passe',
    wrong: 'Ce mot de passe est incorrect. Vérifiez-le et réessayez.',
    tooMany: 'Trop de mots de passe incorrects. Patientez une minute, puis réessayez.',
    button: 'Continuer',
  },
  link: {
    title: 'Lien court',
    leadsTo: 'Ce lien mène à\u00a0:',
    unknown: 'La destination de ce lien s’affiche une fois que vous l’avez suivi.',
    button: 'Continuer',
  },
};
