import { MAX_DOCUMENT_BYTES } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { isDocument } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { MECHANISM } from '../scram.ts';
import { MAX_MESSAGE_BYTES } from '../wire.ts';
import { startLogin } from './login.ts';
import { OK } from './ok.ts';
import type { Command, ConnectionState } from './request.ts';

/** The version whose behaviour this server follows. */
const VERSION = '7.0.0';
const SET_NAME = 'rs0';

/** Presents this server as the primary, and only member, of the replica set `rs0`. */
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

/**
 * Starts the login that a driver may send with its greeting. If it cannot start this way, the driver sends `saslStart`.
 */
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
  run: () => ({ version: VERSION, ok: OK }),
};
