import { expect, test } from 'vitest';
import { showProgress } from './progress.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
}

test('on a terminal, progress is one line that is replaced, and erased before other output', () => {
  const terminal = stream(true);
  const progress = showProgress(false, terminal);
  progress.show('200 links', 200);
  progress.show('400 links', 400);
  progress.clear();
  expect(terminal.written).toEqual(['\r\x1b[K200 links …', '\r\x1b[K400 links …', '\r\x1b[K']);
});

test('elsewhere, progress is a line each 10,000 links', () => {
  const log = stream(false);
  const progress = showProgress(undefined, log);
  for (let done = 200; done <= 25_000; done += 200) progress.show(`${done} links`, done);
  progress.clear();
  expect(log.written).toEqual(['10000 links …\n', '20000 links …\n']);
});

test.each([true, false])('with --json there is no progress (terminal: %s)', (isTTY) => {
  const output = stream(isTTY);
  const progress = showProgress(true, output);
  progress.show('50000 links', 50_000);
  progress.clear();
  expect(output.written).toEqual([]);
});
