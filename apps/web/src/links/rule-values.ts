import type { Rule } from '@waymark/contract';
import type { Choice } from '../components/list-field.tsx';
import { ruleTexts as texts } from '../texts/link-form.ts';
import { minuteText } from '../texts/locale.ts';
import { CHOICES, languages } from './choices.ts';
import { localMinute, moment } from './local-minute.ts';

/** The conditions that are lists of names. */
export const LISTS = ['device', 'os', 'browser', 'country'] as const;
const TIMES = ['from', 'until'] as const;
type RuleField = keyof Rule;

/** What the form holds of a rule: the text of each control. */
export type RuleValues = Record<RuleField, string> & {
  /** Tells it from the others, wherever it is moved. */
  key: string;
  /** The rule that it was before, or null for a new one. */
  was: Rule | null;
};

export function ruleValuesOf(rule: Rule | null): RuleValues {
  const list = (name: (typeof LISTS)[number]) => (rule?.[name] ?? []).join(', ');
  return {
    key: nextKey(),
    was: rule,
    to: rule?.to ?? '',
    device: list('device'),
    os: list('os'),
    browser: list('browser'),
    country: list('country'),
    language: rule?.language ?? '',
    from: rule?.from ? localMinute(rule.from) : '',
    until: rule?.until ? localMinute(rule.until) : '',
    share: rule?.share === undefined ? '' : String(rule.share),
  };
}

/**
 * Returns the rule to send: the conditions that are filled in.
 * @throws {WaymarkError} if the clocks skip one of its minutes.
 */
export function ruleOf(values: RuleValues, index: number): Rule {
  const rule: Rule = { to: values.to };
  for (const name of LISTS) {
    const names = splitNames(values[name], CHOICES[name]);
    // The API refuses names that it does not know.
    if (names.length > 0) Object.assign(rule, { [name]: names });
  }
  if (values.language !== '') rule.language = values.language;
  for (const name of TIMES) {
    const before = values.was?.[name];
    const minute = values[name];
    if (minute === '') continue;
    rule[name] =
      before !== undefined && localMinute(before) === minute ? before : moment(minute, `rules[${index}].${name}`);
  }
  if (values.share !== '') rule.share = Number(values.share);
  return rule;
}

/** Returns the names of a list that is separated by commas, as the API has them. */
function splitNames(text: string, choices: readonly Choice[]): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== '').map((name) => known(name, choices)))];
}

function known(text: string, choices: readonly Choice[]): string {
  const isText = (other = '') => other.toLowerCase() === text.toLowerCase();
  return choices.find(({ value, name }) => isText(value) || isText(name))?.value ?? text;
}

/** Returns for which visitors a rule is, in words. */
export function ruleText(values: RuleValues): string {
  const lists = LISTS.map((name) =>
    splitNames(values[name], CHOICES[name])
      .map((value) => (name === 'country' ? CHOICES.country.find((one) => one.value === value)?.name : null) ?? value)
      .join(texts.or),
  );
  const { language, from, until, share } = values;
  const conditions = [
    ...lists,
    language && texts.inLanguage(languages(language).find(({ value }) => value === language)!.name!),
    from && texts.fromTime(minuteText(from)),
    until && texts.untilTime(minuteText(until)),
    share && texts.shareOf(share),
  ];
  return conditions.filter((text) => text !== '').join(', ') || texts.noCondition;
}

let lastKey = 0;

function nextKey(): string {
  lastKey += 1;
  return String(lastKey);
}
