import { hostOfUrl } from '@waymark/contract';
import { atMostEntries } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { parse } from 'tldts';
import { utmName } from './utm-name.ts';

/** The length of the longest host name in DNS. */
const HOST_MAX_LENGTH = 253;
const REMEMBERED_MAX = 20_000;
const DIRECT = 'direct';

/** Where a click came from. */
export interface Origin {
  /** The name of the traffic source. */
  source: string;
  /** The host of the page that led to the short link, in lower case; empty if there is none. */
  referrer: string;
}

/** Returns the origin of a click from the headers and parameters of its request. */
export type OriginOf = (click: { utmSource: string; referrer: string }) => Origin;

/**
 * Creates the function that names traffic sources and referrers (docs/api.md, Analytics). The source is `utm_source` in
 * lower case, at most 100 characters; else the registrable domain of the referrer; else `direct`. A referrer on one of
 * `ownHosts` is ignored. Every name is in lower case and short enough to be sent back as the parameter `source`.
 */
export function createOriginOf(ownHosts: readonly string[]): OriginOf {
  const own = new Set(ownHosts);
  const remembered = new LRUCache<string, Origin>(atMostEntries(REMEMBERED_MAX));
  return ({ utmSource, referrer }) => {
    let page = remembered.get(referrer);
    if (page === undefined) {
      page = pageOf(referrer, own);
      remembered.set(referrer, page);
    }
    const utm = utmName(utmSource);
    return utm === '' ? page : { source: utm, referrer: page.referrer };
  };
}

/** Returns the source of clicks from the page of a URL, or `direct` if it is no URL of a page or an app. */
export function sourceOfPage(url: string): string {
  return pageOf(url, new Set()).source;
}

function pageOf(referrer: string, ownHosts: ReadonlySet<string>): Origin {
  const none = { source: DIRECT, referrer: '' };
  if (referrer === '' || !URL.canParse(referrer)) return none;
  const url = new URL(referrer);
  const { protocol } = url;
  const host = hostOfUrl(url);
  if (host === '' || host.length > HOST_MAX_LENGTH) return none;
  if (protocol === 'android-app:') return { source: appSite(host), referrer: host };
  if (protocol !== 'http:' && protocol !== 'https:') return none;
  return ownHosts.has(host) ? none : { source: domainOf(host), referrer: host };
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
 * `org.telegram.messenger` is `telegram.org`. Some apps name their host instead, as `m.facebook.com`. Returns the name if
 * neither is a domain.
 */
function appSite(packageName: string): string {
  const names = [packageName.split('.').reverse().join('.'), packageName];
  const sites = names.map((name) => parse(name)).filter(({ domain, isIcann }) => domain !== null && isIcann === true);
  return sites[0]?.domain ?? packageName;
}
