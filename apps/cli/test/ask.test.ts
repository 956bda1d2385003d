import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { askSecret, confirm } from '../src/ask.ts';

/** Replaces the terminal. Returns what happens to it, in order. */
function fakeTerminal(): { stdin: PassThrough; happened: string[] } {
  const happened: string[] = [];
  const setRawMode = (isRaw: boolean) => happened.push(isRaw ? 'raw' : 'cooked');
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    happened.push(stripVTControlCharacters(String(text)));
    return true;
  });
  return { stdin, happened };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('nothing of a secret is shown: the terminal is silent before the question is there', async () => {
  const { stdin, happened } = fakeTerminal();
  const asked = askSecret('Key: ');
  stdin.write('key_live_x\r');
  expect(await asked).toBe('key_live_x');
  expect(happened.filter((text) => text !== '')).toEqual(['raw', 'Key: ', 'cooked', '\n']);
});

test('Ctrl-C at a question ends its line', async () => {
  const { stdin, happened } = fakeTerminal();
  const asked = confirm('Delete?');
  stdin.write('\x03');
  await expect(asked).rejects.toMatchObject({ message: 'Interrupted.', exitCode: 130 });
  expect(happened.at(-1)).toBe('\n');
});
