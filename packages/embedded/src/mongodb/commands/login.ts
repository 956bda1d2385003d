import { Binary } from 'bson';
import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { MECHANISM, type ScramLogin } from '../scram.ts';
import { OK } from './ok.ts';
import type { Command } from './request.ts';

/** Each connection has at most one conversation at a time. */
const CONVERSATION = 1;

export const saslStart: Command = {
  fields: ['mechanism', 'payload', 'autoAuthorize', 'options'],
  beforeLogin: true,
  run: ({ body, connection }) => ({ ...startLogin(connection.login, body), ok: OK }),
};

export const saslContinue: Command = {
  fields: ['conversationId', 'payload'],
  beforeLogin: true,
  run({ body, connection }) {
    // Some drivers send an empty message after the last one.
    if (connection.login.done) return { conversationId: CONVERSATION, done: true, payload: new Binary(), ok: OK };
    const payload = binary(connection.login.finish(textOf(body.payload)));
    return { conversationId: CONVERSATION, done: true, payload, ok: OK };
  },
};

/** Starts a login, from `saslStart` or from a greeting. */
export function startLogin(login: ScramLogin, { mechanism, payload }: Document): Document {
  if (mechanism !== MECHANISM)
    throw new CommandError(334, `Unsupported mechanism '${String(mechanism)}'; this server has ${MECHANISM}`);
  return { conversationId: CONVERSATION, done: false, payload: binary(login.start(textOf(payload))) };
}

function binary(text: string): Binary {
  return new Binary(Buffer.from(text));
}

function textOf(payload: unknown): string {
  return payload instanceof Binary ? Buffer.from(payload.value()).toString('utf8') : '';
}
