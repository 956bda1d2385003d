import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompress, constants } from 'node:zlib';
import type { ErrorCode } from '@waymark/contract';
import { Binary } from 'mongodb';

/** The first response to a request: its result, or the error with which it was refused. */
export type Answer<Result> = { result: Result } | { error: { code: ErrorCode; message: string } };

/** Links with equal texts shrink to a hundredth. Higher qualities take longer and save little. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const decompress = promisify(brotliDecompress);

/** Returns an answer as it is kept for repetitions: compressed JSON. */
export function packAnswer(answer: Answer<unknown>): Binary {
  return new Binary(brotliCompressSync(JSON.stringify(answer), OPTIONS));
}

/** Returns the answer that {@link packAnswer} packed. */
export async function unpackAnswer<Result>(packed: Binary): Promise<Answer<Result>> {
  return JSON.parse((await decompress(packed.value())).toString()) as Answer<Result>;
}
