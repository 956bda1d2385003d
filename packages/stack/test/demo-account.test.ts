import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callAuthenticator, createVerifier, generateKey, requireService } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { accountsV1, createGrpcServer, type GrpcServer } from '@waymark/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDemoSignInLink, type DemoStack, ensureDemoAccount } from '../src/demo-account.ts';

// Uses a fake gateway and a fake links-svc, over real HTTP and gRPC.

const SIGNING_KEY = 's'.repeat(40);
const SCOPES = { full_access: 'live', public_links_only: 'public' } as const;
let dataDir: string;
let gateway: Server;
let links: GrpcServer;
let stack: DemoStack;
/** The only account, or null. */
let account: { live: string; public: string } | null;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stack-demo-'));
  account = null;
  gateway = createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '');
    const isKnown = account !== null && Object.values(account).includes(key ?? '');
    response.writeHead(isKnown ? 200 : 401).end('{}');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  links = createGrpcServer();
  const authenticate = callAuthenticator(createVerifier({ current: SIGNING_KEY }));
  const unexpected = async () => {
    throw new AppError('internal', 'Nobody asks for this here.');
  };
  links.addService(
    accountsV1.AccountsService,
    { authenticate },
    {
      createAccount: async ({ username, plan }, { caller }) => {
        requireService(caller.identity, 'admin');
        expect({ username, plan }).toEqual({ username: 'demo', plan: 'developer' });
        if (account !== null) throw new AppError('conflict', 'The user name is taken.');
        account = { live: generateKey('full_access'), public: generateKey('public_links_only') };
        return { account: { username, plan }, liveKey: account.live, publicKey: account.public };
      },
      rotateKey: async ({ scope }, { caller }) => {
        requireService(caller.identity, 'admin');
        const key = generateKey(scope as keyof typeof SCOPES);
        account![SCOPES[scope as keyof typeof SCOPES]] = key;
        return { key };
      },
      getMe: unexpected,
      resolveKey: unexpected,
      getAccount: unexpected,
      listAccounts: unexpected,
      setPlan: unexpected,
      deleteAccount: unexpected,
      revokeKey: unexpected,
      createRestrictedKey: unexpected,
      listRestrictedKeys: unexpected,
      deleteRestrictedKey: unexpected,
      resolveSession: unexpected,
      findShortHosts: unexpected,
      createSession: unexpected,
      createSignInOptions: unexpected,
      createPasskeySession: unexpected,
      createPersonSignIn: unexpected,
      createSignInLink: async ({ username }, { caller }) => {
        requireService(caller.identity, 'admin');
        return { url: `https://go.example/app/#token=signin_${username}` };
      },
      signOut: unexpected,
    },
  );
  const grpcPort = await links.listen('127.0.0.1', 0);
  const urls = {
    gateway: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    linksGrpc: `127.0.0.1:${grpcPort}`,
  };
  stack = { signingKey: SIGNING_KEY, urls };
});
afterEach(async () => {
  gateway.closeAllConnections();
  gateway.close();
  await links.close(0);
  rmSync(dataDir, { recursive: true });
});

test('is created at the first start, and a second start finds its keys in a file that only the owner can read', async () => {
  const first = await ensureDemoAccount(stack, dataDir);
  expect(first).toEqual(account);
  expect(await ensureDemoAccount(stack, dataDir)).toEqual(first);
  expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600);
});

test('gets a new key only for one that no longer works', async () => {
  const first = await ensureDemoAccount(stack, dataDir);
  account!.public = 'rotated by someone';
  const second = await ensureDemoAccount(stack, dataDir);
  expect(second.live).toBe(first.live);
  expect(second.public).not.toBe(first.public);
  expect(second).toEqual(account);
});

test('gets new keys if the folder does not have them', async () => {
  account = { live: 'not known here', public: 'not known here' };
  const demo = await ensureDemoAccount(stack, dataDir);
  expect(demo.live).toMatch(/^key_live_/);
  expect(demo).toEqual(account);
});

test('has a sign-in link for the dashboard', async () => {
  expect(await createDemoSignInLink(stack)).toBe('https://go.example/app/#token=signin_demo');
});
