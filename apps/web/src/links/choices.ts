import type { Choice } from '../components/list-field.tsx';
import { LOCALE } from '../texts/locale.ts';

const REGIONS = new Intl.DisplayNames(LOCALE, { type: 'region' });
const LANGUAGES = new Intl.DisplayNames(LOCALE, { type: 'language' });
/** The first letter of countries, and the second ones. */
const COUNTRIES =
  'ADEFGILMOQRSTUWXZ BABDEFGHIJLMNOQRSTVWYZ CACDFGHIKLMNORUVWXYZ DEJKMOZ ECEGHRST FIJKMOR GABDEFGHILMNPQRSTUWY HKMNRTU IDELMNOQRST JEMOP KEGHIMNPRWYZ LABCIKRSTUVY MACDEFGHKLMNOPQRSTUVWXYZ NACEFGILOPRUZ OM PAEFGHKLMNRSTWY QA REOSUW SABCDEGHIJKLMNORSTVXYZ TCDFGHJKLMNORTVWZ UAGMSYZ VACEGINU WFS XK YET ZAMW';

/** The browsers of people that the analytics name most often. Every other name of the analytics can be typed. */
const BROWSERS =
  'Chrome,Safari,Firefox,Microsoft Edge,Samsung Internet for Android,Opera,Brave,Vivaldi,DuckDuckGo,Google Search,UC Browser,Yandex Browser,WeChat,QQ Browser,Miui,Android Browser,Amazon Silk,LibreWolf,other';
const SYSTEMS =
  'iOS,Android,Windows,macOS,Linux,Chrome OS,HarmonyOS,Tizen,WebOS,Roku,PlayStation 4,Windows Phone,BlackBerry,Bada,other';

/** What the lists of a rule offer. */
export const CHOICES = {
  device: plain('mobile,desktop,tablet,other'),
  os: plain(SYSTEMS),
  browser: plain(BROWSERS),
  country: COUNTRIES.split(' ')
    .flatMap(([first, ...seconds]) => seconds.map((second) => named(REGIONS, first + second)))
    .sort(byName)
    .concat({ value: 'unknown' }),
};

/** Returns the languages to choose from, sorted by name, with the given one. */
export function languages(chosen: string): Choice[] {
  const common =
    'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id is it ja ko lt lv ms nb nl nn no pl pt ro ru sk sl sr sv ta th tr uk ur vi zh';
  return [...new Set(`${common} ${chosen}`.trim().split(' '))].map((code) => named(LANGUAGES, code)).sort(byName);
}

function plain(values: string): Choice[] {
  return values.split(',').map((value) => ({ value }));
}

function named(names: Intl.DisplayNames, value: string): Choice {
  return { value, name: /^[a-z]{2}$/i.test(value) ? names.of(value)! : value };
}

function byName(a: Choice, b: Choice): number {
  return a.name!.localeCompare(b.name!);
}
