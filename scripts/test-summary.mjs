// Sums the test results that `results-reporter.ts` wrote. Each argument is a file that must be there. Prints the failures
// and `N passed, N failed, N skipped`. Exits with 1 if a test failed, if results are missing or if no test passed.
import { existsSync, readFileSync } from 'node:fs';

let passed = 0;
let skipped = 0;
const failures = [];
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    failures.push(`${file}: its tests left no results`);
    continue;
  }
  const results = JSON.parse(readFileSync(file, 'utf8'));
  passed += results.passed;
  skipped += results.skipped;
  for (const failure of results.failures) failures.push(`${file}: ${failure}`);
  if (results.passed + results.failures.length === 0) failures.push(`${file}: it has no test`);
}
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
