import type { TransactionId } from '../connection-state.ts';
import { CommandError } from '../errors.ts';
import { OK } from './ok.ts';
import type { Command, Request } from './request.ts';

export const commitTransaction: Command = {
  fields: [],
  inTransactions: 'end',
  async run(request) {
    await request.state.transactions.commit(requiredTransaction(request));
    return { ok: OK };
  },
};

export const abortTransaction: Command = {
  fields: [],
  inTransactions: 'end',
  async run(request) {
    await request.state.transactions.abort(requiredTransaction(request));
    return { ok: OK };
  },
};

function requiredTransaction({ name, transaction }: Request): TransactionId {
  if (!transaction) throw new CommandError(125, `${name} must be run within a transaction`);
  return transaction;
}
