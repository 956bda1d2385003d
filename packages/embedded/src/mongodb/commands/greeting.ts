import { MAX_DOCUMENT_BYTES } from '../bson/bson.ts';
import { MAX_MESSAGE_BYTES } from '../wire.ts';
import { OK } from './ok.ts';
import type { Command } from './request.ts';

/** The version whose behaviour this server follows. */
const VERSION = '8.0.0';
const SET_NAME = 'rs0';

/** Presents this server as the primary, and only member, of the replica set `rs0`. */
export const hello: Command = {
  fields: [],
  lenient: true,
  run({ name, state, connection }) {
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
      maxWireVersion: 25,
      readOnly: false,
      ok: OK,
    };
  },
};

export const ping: Command = { fields: [], run: () => ({ ok: OK }) };

export const buildInfo: Command = {
  fields: [],
  run: () => ({ version: VERSION, ok: OK }),
};
