import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** The test results of one package. */
export interface TestResults {
  passed: number;
  skipped: number;
  /** One text for each failed test and each error outside of tests, because vitest fails for those, too. */
  failures: string[];
}

/** Returns a vitest reporter that writes {@link TestResults} to a JSON file, for `test-summary.mjs`. */
export function resultsReporter(file: string): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors, reason) {
      const results = resultsOf(modules, unhandledErrors);
      if (reason === 'interrupted') results.failures.push('interrupted');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(results));
    },
  };
}

function resultsOf(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): TestResults {
  const results: TestResults = {
    passed: 0,
    skipped: 0,
    failures: unhandledErrors.map((error) => textOf('outside of tests', error)),
  };
  for (const module of modules) {
    for (const error of module.errors()) results.failures.push(textOf(module.relativeModuleId, error));
    for (const suite of module.children.allSuites())
      for (const error of suite.errors()) results.failures.push(textOf(suite.fullName, error));
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'passed') results.passed += 1;
      else if (state === 'failed') results.failures.push(textOf(test.fullName, errors[0]));
      else results.skipped += 1;
    }
  }
  return results;
}

function textOf(where: string, error: SerializedError | undefined): string {
  return `${where}: ${error === undefined ? 'failed' : describe(error)}`;
}

/** A message shows at most about 40 characters of a value; the difference shows what is in it. */
const DIFFERENCE_MAX_CHARACTERS = 2_000;

/** Returns the stack of an error, its difference and its causes, without the frames of the test runner. */
function describe({ message, stack, diff, cause }: SerializedError): string {
  const isOurs = (line: string) => !/\/node_modules\/(vitest|vite)\//.test(line);
  const lines = (stack ?? message).split('\n').filter(isOurs);
  if (typeof diff === 'string') lines.push(stripVTControlCharacters(diff).slice(0, DIFFERENCE_MAX_CHARACTERS));
  return cause === undefined ? lines.join('\n') : `${lines.join('\n')}\n  cause: ${describe(cause)}`;
}
