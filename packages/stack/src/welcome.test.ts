import { expect, test } from 'vitest';
import { welcome } from './welcome.ts';

const text = welcome({
  apiUrl: 'http://localhost:8080',
  demo: { live: 'key_live_L', public: 'key_pub_P', signInUrl: 'http://localhost:8080/app/#token=signin_T' },
  dataDir: '/data',
  admin: "DATA_DIR='/data' npx pnpm -s admin",
});

test('README.md, Run it: start prints both demo keys and three curl lines to try', () => {
  expect(text).toContain('key_live_L');
  expect(text).toContain('key_pub_P');
  const lines = text.split('\n').map((line) => line.trim());
  const curls = lines.filter((line) => line.startsWith('curl '));
  expect(curls).toHaveLength(3);
  expect(curls[0]).toContain('-X POST http://localhost:8080/api/v1/links ');
  expect(curls[1]).toContain("'http://localhost:8080/api/v1/links?per=1' -H 'Authorization: Bearer key_pub_P'");
  expect(curls[2]).toContain('/api/v1/analytics');
});

test('README.md, Run it: start prints a sign-in link for the dashboard, and how to make another one', () => {
  expect(text).toContain(' http://localhost:8080/app/#token=signin_T\n');
  expect(text).toContain("  DATA_DIR='/data' npx pnpm -s admin account sign-in-link --username demo\n");
});

test('the agent instructions have the key that sees public and unlisted links only', () => {
  const line = text.split('\n').find((one) => one.includes('claude mcp add'))!;
  expect(line).toContain('http://localhost:8080/mcp');
  expect(line).toContain('key_pub_P');
  expect(line).not.toContain('key_live_');
});
