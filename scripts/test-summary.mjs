// Sums the test results that `results-reporter.ts` wrote. Each argument, `folder:package:package`, names a folder and
// the packages that must have results in it. Prints the failures, the tests that passed only when they were
// repeated, and `N passed, N failed, N skipped`. Exits with 1 if a test failed, if results are missing or if no test
// passed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

let passed = 0;
let skipped = 0;
const failures = [];
const flaky = [];
for (const argument of process.argv.slice(2)) {
  const [folder, ...packages] = argument.split(':');
  const left = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const named = left.map((file) => file.slice(0, -'.json'.length));
  for (const name of packages.filter((name) => !named.includes(name)))
    failures.push(`${name}: its tests left no results`);
  for (const name of named) {
    const results = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    passed += results.passed;
    skipped += results.skipped;
    for (const failure of results.failures) failures.push(`${name}: ${failure}`);
    for (const failure of results.flaky) flaky.push(`${name}: ${failure}`);
    if (results.passed + results.failures.length === 0) failures.push(`${name}: it has no test`);
  }
}
for (const failure of flaky) console.log(`passed when repeated: ${failure}`);
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
