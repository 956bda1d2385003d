import { LRUCache } from 'lru-cache';
import { parse } from 'tldts';

const UTM_MAX_LENGTH = 100;
/** The length of the longest host name in DNS. */
const HOST_MAX_LENGTH = 253;
const REMEMBERED_MAX = 20_000;
const DIRECT = 'direct';
/** Matches most names: ASCII without spaces, which needs no cleaning and keeps its length in lower case. */
const PLAIN_UTM = new RegExp(`^[!-~]{1,${UTM_MAX_LENGTH}}$`);

/** The traffic source of a click, from the headers and parameters of its request. */
export type SourceOf = (click: { utmSource: string; referrer: string }) => string;

/**
 * Creates the function that names traffic sources (docs/api.md, Analytics): `utm_source` in lower case, at most 100
 * characters; else the registrable domain of the referrer; else `direct`. A referrer on `ownHost` is ignored. Every
 * name is in lower case and short enough to be sent back as the parameter `source`.
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
  // Lower-casing can make a text longer, and the limit applies to the name that is reported.
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
 * Returns the registrable domain by the Public Suffix List, including its private section: a page on `alice.github.io`
 * is Alice's, not GitHub's. IP addresses, single labels and public suffixes have none and stand for themselves.
 */
function domainOf(host: string): string {
  const { domain, hostname } = parse(host, { allowPrivateDomains: true });
  return domain ?? hostname ?? host;
}

/**
 * Returns the domain of an Android package, which is named by the reversed domain of its maker:
 * `org.telegram.messenger` is `telegram.org`. Returns the package name if that is no domain.
 */
function appSite(packageName: string): string {
  const { domain, isIcann } = parse(packageName.split('.').reverse().join('.'));
  return domain !== null && isIcann === true ? domain : packageName;
}

function withoutFinalDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
