// Checks the pages: no line of prose beyond 120 characters, no link to a file or heading that does not exist, every
// promise of docs/api.md cited by a test, and every alert explained. Prints what is wrong and exits with 1.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const LINE_MAX_LENGTH = 120;
const API_PAGE = 'docs/api.md';
const ALERTS = ['files/alerts.yaml', 'templates/monitoring.yaml'].map((file) => `deploy/helm/waymark/${file}`);
/** Headings of docs/api.md whose text only introduces those below. */
const WITHOUT_PROMISES = ['What the API promises'];

const filesOf = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

/** Returns the lines of a page with their numbers, without code blocks and generated parts. */
function proseOf(path: string): { text: string; line: number }[] {
  let isCode = false;
  let isGenerated = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => {
      const isFence = /^\s*```/.test(text);
      if (isFence) isCode = !isCode;
      if (/^<!-- \S+:(begin|end)/.test(text)) isGenerated = text.includes(':begin');
      return !isFence && !isCode && !isGenerated;
    });
}

function headingsOf(path: string): string[] {
  return proseOf(path).flatMap(({ text }) => /^#+ (.*)$/.exec(text)?.[1] ?? []);
}

/** Returns the anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function linkFaults(path: string): string[] {
  return proseOf(path).flatMap(({ text, line }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
      if (/^[a-z]+:/.test(target!)) return [];
      const [file, anchor] = target!.split('#');
      const page = file === '' ? path : normalize(join(dirname(path), file!));
      if (!existsSync(page)) return [`${path}:${line}: there is no ${page}`];
      if (anchor === undefined || !page.endsWith('.md')) return [];
      const isKnown = headingsOf(page).some((heading) => anchorOf(heading) === anchor);
      return isKnown ? [] : [`${path}:${line}: ${page} has no heading for #${anchor}`];
    }),
  );
}

function longLines(path: string): string[] {
  return proseOf(path)
    .filter(({ text }) => [...text].length > LINE_MAX_LENGTH && !text.startsWith('|') && text.includes(' '))
    .map(({ text, line }) => `${path}:${line}: ${[...text].length} characters; break the line`);
}

/** Returns the citations of docs/api.md that name no heading, and the headings that no test cites. */
function citationFaults(tests: string[]): string[] {
  const headings = headingsOf(API_PAGE);
  const cited = new Set<string>();
  const faults: string[] = [];
  for (const path of tests) {
    const text = readFileSync(path, 'utf8').replaceAll(/\n\s*(?:\/\/|\*) /g, ' ');
    for (const [, citation] of text.matchAll(/docs\/api\.md, ([A-Za-z_ ]+)/g)) {
      const found = headings.filter((heading) => citation!.startsWith(heading) || citation!.includes(`and ${heading}`));
      if (found.length === 0) faults.push(`${path}: docs/api.md has no heading "${citation!.trim()}"`);
      for (const heading of found) cited.add(heading);
    }
  }
  const uncited = headings.filter((heading) => !cited.has(heading) && !WITHOUT_PROMISES.includes(heading));
  return [...faults, ...uncited.map((heading) => `no test cites "docs/api.md, ${heading}"`)];
}

/** Returns the alerts that do not name a heading of their own, and those whose heading does not exist. */
function alertFaults(): string[] {
  return ALERTS.flatMap((path) => {
    const rules = readFileSync(path, 'utf8')
      .split(/- alert: /)
      .slice(1);
    if (rules.length === 0) return [`${path} has no alerts`];
    return rules.flatMap((rule) => {
      const name = /^\w+/.exec(rule)![0];
      const [, page, anchor] =
        /runbook_url: \S*?(docs\/[\w-]+\.md)#(\S+)/.exec(rule.replaceAll(/\{\{.*?\}\}/g, '')) ?? [];
      if (page === undefined) return [`${path}: ${name} has no runbook_url`];
      const isKnown = anchor === anchorOf(name) && headingsOf(page).includes(name);
      return isKnown ? [] : [`${path}: the runbook_url of ${name} must be a heading ${name} of ${page}`];
    });
  });
}

const pages = filesOf('*.md');
const faults = [
  ...pages.flatMap(longLines),
  ...pages.flatMap(linkFaults),
  ...citationFaults(filesOf('*.test.ts')),
  ...alertFaults(),
];
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
