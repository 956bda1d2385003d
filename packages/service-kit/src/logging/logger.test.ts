import { AppError } from '@waymark/contract';
import fc from 'fast-check';
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

test('docs/api.md, Logs: a secret is not logged, however deep it is and whatever is around it', () => {
  const secret = fc
    .constantFrom('password', 'Note', 'KEY', 'authorization', 'password_hash')
    .map((name): unknown => ({ [name]: 'hunter2', kept: 1 }));
  const wrap = fc.constantFrom<(inner: unknown) => unknown>(
    (inner) => ({ inner }),
    (inner) => [0, inner],
    (inner) => Object.assign(Object.create(null), { inner }),
    (inner) =>
      new (class Holder {
        inner = inner;
      })(),
    (inner) => new Map([['inner', inner]]),
    (inner) => Object.assign(new Error('failed'), { inner }),
    (inner) => new Error('failed', { cause: inner }),
    (inner) => ({ toJSON: () => inner }),
  );
  fc.assert(
    fc.property(secret, fc.array(wrap, { maxLength: 40 }), fc.object(), (value, wraps, around) => {
      const { text, line } = logged((logger) =>
        logger.info({ around, value: wraps.reduce((inner, wrapIn) => wrapIn(inner), value) }, 'hello'),
      );
      expect(text).not.toContain('hunter2');
      expect(line.msg).toBe('hello');
    }),
  );
});

test('a log line ends even if its object contains itself or 100,000 values', () => {
  const circular: Record<string, unknown> = { list: Array.from({ length: 100_000 }, (_, i) => i) };
  circular.self = circular;
  const { text, line } = logged((logger) => logger.info({ first: { circular }, second: circular }, 'hello'));
  expect(line.msg).toBe('hello');
  expect(text.length).toBeLessThan(10_000);
});

test('docs/api.md, Logs: a key, the token of a session or a sign-in link, or a signed token is masked anywhere in a line', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  const { text } = logged((logger) => logger.info({ path: `/x/${KEY}` }, `got ${KEY} and ${token}`));
  expect(text).not.toContain('aaaa');
  expect(text).not.toContain('c2lnbmF0dXJl');
  expect(maskSecrets(`?k=${KEY}&x=1`)).toBe('?k=key_live_[redacted]&x=1');
  expect(maskSecrets(`/app/#token=signin_${'b'.repeat(40)} sess_${'c'.repeat(40)}`)).toBe(
    '/app/#token=signin_[redacted] sess_[redacted]',
  );
});

test('logging does not change the logged object', () => {
  const value = { password: 'x', inner: { note: 'y' } };
  logged((logger) => logger.info(value, 'hello'));
  expect(value).toEqual({ password: 'x', inner: { note: 'y' } });
});

test('an error is logged with its causes, but without the fields that a driver adds to it', () => {
  const driver = Object.assign(new Error('duplicate'), { code: 11_000, document: { secretField: 'hunter2' } });
  const { text, line } = logged((logger) =>
    logger.error({ err: new AppError('internal', 'sorry', { cause: driver }) }),
  );
  expect(text).not.toContain('hunter2');
  expect(line.err).toMatchObject({ type: 'AppError', code: 'internal', cause: { message: 'duplicate', code: 11_000 } });
});
