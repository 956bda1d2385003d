import { Double } from 'bson';
import type { Document } from '../bson/values.ts';
import { isDocument } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { MECHANISM } from '../scram.ts';
import { MAX_DOCUMENT_BYTES } from '../storage/collection.ts';
import { MAX_MESSAGE_BYTES } from '../wire.ts';
import { startLogin } from './login.ts';
import { OK } from './ok.ts';
import { arrayField, type Command, type ConnectionState, sessionOf } from './request.ts';

/** The version whose behaviour this server follows. */
const VERSION = [7, 0, 0, 0];
const SET_NAME = 'rs0';

/** The greeting: this server is the primary, and only member, of the replica set `rs0`. */
export const hello: Command = {
  fields: [],
  lenient: true,
  beforeLogin: true,
  run({ name, body, state, connection }) {
    const { address } = state;
    return {
      helloOk: true,
      ...(name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
      setName: SET_NAME,
      setVersion: 1,
      secondary: false,
      hosts: [address],
      primary: address,
      me: address,
      maxBsonObjectSize: MAX_DOCUMENT_BYTES,
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      connectionId: connection.id,
      minWireVersion: 0,
      maxWireVersion: 21,
      readOnly: false,
      ...(body.saslSupportedMechs === undefined ? {} : { saslSupportedMechs: [MECHANISM] }),
      ...speculative(body, connection),
      ok: OK,
    };
  },
};

/** The begin of the login that a driver sends along with its greeting; where it cannot begin so, the driver asks again. */
function speculative({ speculativeAuthenticate }: Document, { login }: ConnectionState): Document {
  if (!isDocument(speculativeAuthenticate)) return {};
  try {
    return { speculativeAuthenticate: startLogin(login, speculativeAuthenticate) };
  } catch (error) {
    if (error instanceof CommandError) return {};
    throw error;
  }
}

export const ping: Command = { fields: [], beforeLogin: true, run: () => ({ ok: OK }) };

export const buildInfo: Command = {
  fields: [],
  run: () => ({
    version: VERSION.slice(0, 3).join('.'),
    versionArray: VERSION,
    gitVersion: 'embedded',
    modules: [],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ['lmdb'],
    ok: OK,
  }),
};

export const connectionStatus: Command = {
  fields: ['showPrivileges'],
  run: ({ state }) => ({
    authInfo: { authenticatedUsers: [{ user: state.user.name, db: 'admin' }], authenticatedUserRoles: [] },
    ok: OK,
  }),
};

const PARAMETERS: Document = { featureCompatibilityVersion: { version: '7.0' } };

export const getParameter: Command = {
  fields: Object.keys(PARAMETERS),
  run({ body }) {
    const wanted =
      body.getParameter === '*'
        ? PARAMETERS
        : Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => name in body));
    if (Object.keys(wanted).length === 0) throw new CommandError(72, 'no option found to get');
    return { ...wanted, ok: OK };
  },
};

export const serverStatus: Command = {
  fields: [],
  run: ({ state }) => ({
    host: state.address,
    version: VERSION.slice(0, 3).join('.'),
    process: 'embedded',
    pid: BigInt(process.pid),
    uptime: new Double((Date.now() - state.startedAt.getTime()) / 1000),
    localTime: new Date(),
    metrics: { cursor: { open: { total: BigInt(state.cursors.size) } } },
    ok: OK,
  }),
};

export const endSessions: Command = {
  fields: [],
  run({ body, name, state }) {
    for (const session of arrayField(body, name) ?? []) {
      const id = isDocument(session) ? sessionOf({ lsid: session }) : undefined;
      if (id) state.cursors.killSession(id);
    }
    return { ok: OK };
  },
};
