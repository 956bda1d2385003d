export type { FileHosts } from './links/hosts.ts';
export type { FileLink } from './links/links-of-row.ts';
export { type LinkFile, type LinkFileRow, type ReadOptions, readLinkFile } from './read-link-file.ts';
export { RowError } from './rows/row.ts';
export { encodingOf } from './text/decoder.ts';
