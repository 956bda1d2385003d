// Adds up the JSON reports that vitest left in the folders given as arguments and prints `N passed, N failed`.
// Exits with 1 where a test failed, a report holds no test, or a package that should have left a report did not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

let passed = 0;
let failed = 0;
let skipped = 0;
for (const argument of process.argv.slice(2)) {
  const [folder, ...expected] = argument.split(':');
  const reports = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  for (const name of expected.filter((name) => !reports.includes(`${name}.json`))) {
    console.log(`no report of ${name}`);
    failed += 1;
  }
  for (const report of reports) {
    const results = JSON.parse(readFileSync(join(folder, report), 'utf8'));
    passed += results.numPassedTests;
    skipped += results.numPendingTests + results.numTodoTests;
    // A file that could not even be loaded has no failed test but is a failed suite.
    const broken = results.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
    failed += results.numFailedTests + broken.length;
    for (const file of results.testResults) {
      for (const test of file.assertionResults) if (test.status === 'failed') console.log(`failed: ${test.fullName}`);
    }
    for (const file of broken) console.log(`failed to load: ${report} ${file.message}`);
  }
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
