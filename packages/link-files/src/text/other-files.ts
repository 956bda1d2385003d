import { AppError } from '@waymark/contract';

/** The first bytes of files that are no text, and what to do with them. */
const BINARY_FILES: readonly { bytes: readonly number[]; advice: string }[] = [
  { bytes: [0x1f, 0x8b], advice: 'compressed (gzip); decompress it first' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], advice: 'a spreadsheet or a ZIP archive; save the sheet as CSV' },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], advice: 'a spreadsheet of an old version of Excel; save it as CSV' },
];

/**
 * Refuses a file that begins with these bytes if it is known to be no text.
 * @throws {AppError} `invalid`
 */
export function refuseBinary(head: Uint8Array): void {
  for (const { bytes, advice } of BINARY_FILES)
    if (bytes.every((byte, position) => head[position] === byte))
      throw new AppError('invalid', `The file is ${advice}. CSV, ndjson and JSON can be read.`);
}

/**
 * Refuses a file that begins with this text if it is a web page or binary.
 * @throws {AppError} `invalid`
 */
export function refuseOtherText(start: string): void {
  if (/^[^\r\n]*\0/.test(start))
    throw new AppError('invalid', 'The file is not text. CSV, ndjson and JSON can be read.');
  if (start.trimStart().startsWith('<'))
    throw new AppError('invalid', 'The file is HTML or XML. CSV, ndjson and JSON can be read.');
}
