import { hash } from 'node:crypto';
import { type Rule, timeOfRfc3339 } from '@waymark/contract';
import { readUserAgent, type UserAgent } from '@waymark/user-agents';
import { languageOf } from '../clicks/language.ts';
import { type Utm, utmOfUrl } from '../clicks/utm.ts';
import type { VisitorFacts } from '../visitors/visitors.ts';
import { locationOf } from './location.ts';

/** Where a visitor goes, and what their click says of it. */
export interface Target {
  /** The destination as a valid `Location` header. */
  location: string;
  /** The `utm_…` of the destination. */
  utm: Utm;
}

/** A visitor for whom rules decide. */
export interface RuleVisitor extends VisitorFacts {
  userAgent: string;
  acceptLanguage: string | undefined;
  atMs: number;
}

/** A rule as redirects use it. */
export interface PreparedRule extends Target {
  /** Returns true if all conditions hold. `client` classifies the User-Agent. */
  fits(visitor: RuleVisitor, client: () => UserAgent): boolean;
}

type Condition = PreparedRule['fits'];

/** The visitor's part of a share has so many hexadecimal digits. */
const SHARE_DIGITS = 8;
const UNKNOWN_COUNTRY = 'unknown';

/** Returns the rules of a link as redirects use them, or null if it has none. */
export function prepareRules(linkId: string, rules: readonly Rule[]): readonly PreparedRule[] | null {
  if (rules.length === 0) return null;
  return rules.map((rule, at) => {
    const conditions = conditionsOf(rule, `${linkId}\n${at}`);
    const location = locationOf(rule.to);
    return {
      location,
      utm: utmOfUrl(location),
      fits: (visitor, client) => conditions.every((holds) => holds(visitor, client)),
    };
  });
}

/** Returns the first rule that fits, or null. The User-Agent is classified at most once, and only if a rule needs it. */
export function ruleFor(rules: readonly PreparedRule[], visitor: RuleVisitor): PreparedRule | null {
  let read: UserAgent | undefined;
  const client = () => {
    read ??= readUserAgent(visitor.userAgent);
    return read;
  };
  return rules.find((rule) => rule.fits(visitor, client)) ?? null;
}

/** Returns the conditions of a rule, the cheapest ones first. `salt` tells it from other rules. */
function conditionsOf(
  { device, os, browser, country, language, from, until, share }: Rule,
  salt: string,
): readonly Condition[] {
  const conditions: Condition[] = [];
  if (from !== undefined) {
    const fromMs = timeOfRfc3339(from)!.getTime();
    conditions.push(({ atMs }) => atMs >= fromMs);
  }
  if (until !== undefined) {
    const untilMs = timeOfRfc3339(until)!.getTime();
    conditions.push(({ atMs }) => atMs < untilMs);
  }
  if (country !== undefined) {
    const countries = new Set(country);
    conditions.push((visitor) => countries.has(visitor.country || UNKNOWN_COUNTRY));
  }
  if (language !== undefined) {
    const code = languageOf(language);
    conditions.push(({ acceptLanguage }) => languageOf(acceptLanguage) === code);
  }
  if (device !== undefined) conditions.push(isAmong(device, ({ device }) => device));
  if (os !== undefined) conditions.push(isAmong(os, ({ os }) => os));
  if (browser !== undefined) conditions.push(isAmong(browser, ({ browser }) => browser));
  if (share !== undefined) conditions.push(({ visitor }) => share > positionOf(visitor, salt));
  return conditions;
}

function isAmong(names: readonly string[], nameOf: (client: UserAgent) => string): Condition {
  const known = new Set(names);
  return (_visitor, client) => known.has(nameOf(client()));
}

/**
 * Returns where a visitor of a day is among all visitors, from 0 to below 100. Rules differ in it, so that two shares are
 * independent. A visitor without a number belongs to a share of 100 only.
 */
function positionOf(visitor: string, salt: string): number {
  if (visitor === '') return 99.9;
  const digits = hash('blake2s256', `${visitor}\n${salt}`).slice(0, SHARE_DIGITS);
  return (Number.parseInt(digits, 16) / 16 ** SHARE_DIGITS) * 100;
}
