import type { Client } from './client.ts';
import { deviceOf } from './device.ts';

/**
 * The fields that the apps of Facebook send, such as `[FBAN/FBIOS;FBDV/iPhone14,5;FBCR/Carrier]`, or the part that was
 * not cut.
 */
const BLOCK = /\[FB[^\]]*\]?/g;
const FIELD = /(?:\[|;)(FB[A-Z_]{2,4})\/([^;\]]*)/g;
/** How the text of a browser begins, which has all that the fields say. */
const BROWSER = /^Mozilla\/\d\.\d \(/;

/** Names of systems in the field `FBSN`, and our names. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ios|ipados|iphone os)$/i, 'iOS'],
  [/^android/i, 'Android'],
  [/^mac/i, 'macOS'],
  [/^windows phone/i, 'Windows Phone'],
  [/^windows/i, 'Windows'],
];
/** The word for the device of a system, for models that no list has. */
const USUAL_DEVICE: Readonly<Record<string, string>> = {
  iOS: 'phone',
  Android: 'phone',
  'Windows Phone': 'phone',
  macOS: 'macintosh',
  Windows: 'windows',
};

/**
 * Splits a User-Agent of an app of Facebook. `text` is the User-Agent without the app's fields, because one of them is
 * the free name of the carrier. `app` is what the fields say if they are all there is, else null: a browser that the app
 * embeds says more before them.
 */
export function splitFacebookApp(userAgent: string): { text: string; app: Client | null } {
  const fields = fieldsOf(userAgent);
  if (!fields.get('FBAN') && !fields.get('FB_IAB')) return { text: userAgent, app: null };
  const text = userAgent.replace(BLOCK, '').trim();
  return { text, app: BROWSER.test(text) ? null : clientOf(fields) };
}

function fieldsOf(userAgent: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const start = userAgent.indexOf('[FB');
  if (start === -1) return fields;
  for (const [, name, value] of userAgent.slice(start).matchAll(FIELD))
    if (!fields.has(name!)) fields.set(name!, value!.trim());
  return fields;
}

function clientOf(fields: ReadonlyMap<string, string>): Client {
  const [model = '', family = '', kind = ''] = ['FBDV', 'FBMD', 'FBID'].map((name) => fields.get(name));
  const os = systemOf(fields, `${model} ${family}`);
  // Written as in the comment of a browser, so that the same words decide.
  return { device: deviceOf(`; ${model}; ${family}; ${kind}; ${USUAL_DEVICE[os] ?? ''}`), browser: 'other', os };
}

function systemOf(fields: ReadonlyMap<string, string>, device: string): string {
  const system = fields.get('FBSN');
  if (system) return SYSTEMS.find(([words]) => words.test(system))?.[1] ?? 'other';
  if (/\b(?:iphone|ipad|ipod)/i.test(device) || /ios$/i.test(fields.get('FBAN') ?? '')) return 'iOS';
  if (/\bmac/i.test(device)) return 'macOS';
  // Only the apps for Android do not name their system.
  return 'Android';
}
