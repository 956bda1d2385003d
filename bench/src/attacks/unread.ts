import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import type { Account } from './attacked-stack.ts';
import { residentNow } from './memory.ts';

const SOCKETS = 110;
/** Spreads the start of the sockets, so that responses fill the memory instead of requests that time out. */
const SOCKET_EVERY_MS = 250;
const HOLD_MS = 60_000;
const AFTER_MS = 5_000;
const LINKS = 100;
/** The longest texts that a link may have: a list of 100 links is then larger than the buffers of a socket. */
const TEXTS = { note: '😀'.repeat(5_000), description: '😀'.repeat(1_000) };
/** All sockets together stay below the rate limit of two keys. */
const LISTS_PER_SOCKET = 4;
const DOCUMENTS_PER_SOCKET = 800;

type RequestText = (socket: number) => string;

/** Pipelined requests with large responses that the client never reads. */
export const unreadAttacks: Attack[] = [
  unread(
    'unread-lists',
    `asks on ${SOCKETS} sockets for ${LISTS_PER_SOCKET} lists of 100 links with long notes each, and reads nothing`,
    LINKS,
    (attacker) => (socket) =>
      get(
        '/api/v1/links?per=100',
        `Authorization: Bearer ${socket % 2 === 0 ? attacker.live : attacker.public}`,
      ).repeat(LISTS_PER_SOCKET),
  ),
  unread(
    'unread-documents',
    `asks on ${SOCKETS} sockets ${DOCUMENTS_PER_SOCKET} times each for /openapi.json and /docs, and reads nothing`,
    0,
    () => (socket) => get(socket % 2 === 0 ? '/openapi.json' : '/docs').repeat(DOCUMENTS_PER_SOCKET),
  ),
];

function unread(name: string, about: string, links: number, textOf: (attacker: Account) => RequestText): Attack {
  return {
    name,
    about,
    service: 'gateway',
    measureMs: 10_000,
    async prepare({ gateway, attacker, createLink, pidOf, onClose }) {
      for (let n = 0; n < links; n++)
        await createLink(attacker.live, { destination_url: 'https://example.org/', ...TEXTS });
      const port = Number(new URL(gateway).port);
      const text = textOf(attacker);
      const sockets: Socket[] = [];
      const destroyAll = () => {
        for (const socket of sockets.splice(0)) socket.destroy();
      };
      onClose(async () => destroyAll());
      const memory = () => megabytes(residentNow(pidOf('gateway')));
      const state = () => `${memory()}, ${connectionsTo(port, sockets)} sockets open`;
      return {
        async run() {
          for (let n = 0; n < SOCKETS; n++) {
            sockets.push(openUnread(port, text(n)));
            await sleep(SOCKET_EVERY_MS);
          }
          await sleep(AFTER_MS);
          return [`gateway ${AFTER_MS / 1_000} s after the last socket: ${state()}`];
        },
        async afterwards() {
          await sleep(HOLD_MS - AFTER_MS);
          const held = `a minute after it: ${state()}`;
          destroyAll();
          await sleep(AFTER_MS);
          return [held, `${AFTER_MS / 1_000} s after all sockets were closed: ${memory()}`];
        },
      };
    },
  };
}

function get(path: string, header?: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header === undefined ? '' : `${header}\r\n`}\r\n`;
}

function openUnread(port: number, text: string): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.pause();
  socket.write(text);
  return socket;
}

/**
 * Counts the sockets that are open on the server's side: a client that does not read never notices that its socket was
 * closed.
 */
function connectionsTo(port: number, sockets: readonly Socket[]): number {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  const ours = new Set(sockets.flatMap(({ localPort }) => (localPort === undefined ? [] : [hex(localPort)])));
  const established = '01';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local, remote, state]) =>
        state === established && local?.endsWith(`:${hex(port)}`) && ours.has(remote!.split(':')[1]!),
    ).length;
}

function megabytes(bytes: number | null): string {
  return bytes === null ? 'ended by itself' : `${Math.round(bytes / 1e6)} MB`;
}
