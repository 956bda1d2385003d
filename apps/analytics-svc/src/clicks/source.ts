import { LRUCache } from 'lru-cache';
import { parse } from 'tldts';

const UTM_MAX_LENGTH = 100;
/** No host of the domain name system is longer. */
const HOST_MAX_LENGTH = 253;
const REMEMBERED_MAX = 20_000;
const DIRECT = 'direct';
/** Most names: nothing in them is to be cleaned, and each character is one. */
const PLAIN_UTM = new RegExp(`^[!-~]{1,${UTM_MAX_LENGTH}}$`);

/** Where a click came from, by the headers and parameters of its request. */
export type SourceOf = (click: { utmSource: string; referrer: string }) => string;

/**
 * How traffic sources are named (docs/api.md, Analytics): `utm_source`, lower-cased, at most 100 characters; else the
 * registrable domain of the referrer; else `direct`. A referrer on `ownHost` is none. Every name is lower-cased and short enough to be
 * sent back as the parameter `source`.
 */
export function createSourceOf(ownHost: string): SourceOf {
  const own = withoutFinalDot(ownHost.toLowerCase());
  const remembered = new LRUCache<string, string>({ max: REMEMBERED_MAX });
  return ({ utmSource, referrer }) => {
    const utm = utmName(utmSource);
    if (utm !== '') return utm;
    let source = remembered.get(referrer);
    if (source === undefined) {
      source = siteOf(referrer, own) ?? DIRECT;
      remembered.set(referrer, source);
    }
    return source;
  };
}

function utmName(utmSource: string): string {
  if (utmSource === '') return '';
  if (PLAIN_UTM.test(utmSource)) return utmSource.toLowerCase();
  // A lower-cased text may be longer than the text; the bound is on what is reported.
  const clean = utmSource
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .toLowerCase();
  return [...clean].slice(0, UTM_MAX_LENGTH).join('').trim();
}

function siteOf(referrer: string, ownHost: string): string | null {
  if (referrer === '' || !URL.canParse(referrer)) return null;
  const { protocol, hostname } = new URL(referrer);
  const host = withoutFinalDot(hostname);
  if (host === '' || host.length > HOST_MAX_LENGTH) return null;
  if (protocol === 'android-app:') return appSite(host.toLowerCase());
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return host === ownHost ? null : domainOf(host);
}

/**
 * The registrable domain by the Public Suffix List, its private part included: a page on `alice.github.io` is Alice's
 * and not GitHub's. An address, a name of one label and a public suffix itself have none: they stand for themselves.
 */
function domainOf(host: string): string {
  const { domain, hostname } = parse(host, { allowPrivateDomains: true });
  return domain ?? hostname ?? host;
}

/** Android packages are named by the reversed domain of their maker: `org.telegram.messenger` is `telegram.org`. */
function appSite(packageName: string): string {
  const { domain, isIcann } = parse(packageName.split('.').reverse().join('.'));
  return domain !== null && isIcann === true ? domain : packageName;
}

function withoutFinalDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
