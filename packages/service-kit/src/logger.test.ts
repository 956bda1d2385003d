import { AppError } from '@waymark/contract';
import { expect, test } from 'vitest';
import { createLogger, maskSecrets } from './logger.ts';

const KEY = `key_live_${'a'.repeat(40)}`;

function logged(write: (logger: ReturnType<typeof createLogger>) => void): {
  text: string;
  line: Record<string, unknown>;
} {
  let text = '';
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  write(createLogger({ service: 'test', level: 'info' }, destination));
  return { text, line: JSON.parse(text) };
}

test('docs/api.md, Logs: logs never hold a key, a password or a note, at any depth', () => {
  const { text, line } = logged((logger) =>
    logger.info(
      {
        password: 'hunter2',
        body: { note: 'hunter2', list: [{ Authorization: 'Bearer hunter2' }], kept: 1 },
        headers: { 'x-waymark-identity': 'hunter2', 'content-type': 'text/plain' },
        key: 'hunter2',
      },
      'hello',
    ),
  );
  expect(text).not.toContain('hunter2');
  expect(line).toMatchObject({
    level: 'info',
    service: 'test',
    msg: 'hello',
    body: { kept: 1 },
    headers: { 'content-type': 'text/plain' },
  });
});

test('docs/api.md, Logs: a key or a signed token is masked wherever it stands', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  const { text } = logged((logger) => logger.info({ path: `/x/${KEY}` }, `got ${KEY} and ${token}`));
  expect(text).not.toContain('aaaa');
  expect(text).not.toContain('c2lnbmF0dXJl');
  expect(maskSecrets(`?k=${KEY}&x=1`)).toBe('?k=key_live_[redacted]&x=1');
});

test('what is logged is not changed', () => {
  const value = { password: 'x', inner: { note: 'y' } };
  logged((logger) => logger.info(value, 'hello'));
  expect(value).toEqual({ password: 'x', inner: { note: 'y' } });
});

test('an error is logged with its causes and without what a driver hangs on it', () => {
  const driver = Object.assign(new Error('duplicate'), { code: 11_000, document: { secretField: 'hunter2' } });
  const { text, line } = logged((logger) =>
    logger.error({ err: new AppError('internal', 'sorry', { cause: driver }) }),
  );
  expect(text).not.toContain('hunter2');
  expect(line.err).toMatchObject({ type: 'AppError', code: 'internal', cause: { message: 'duplicate', code: 11_000 } });
});
