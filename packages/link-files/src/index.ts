export type { FileLink } from './links/links-of-row.ts';
export { type LinkFile, type LinkFileRow, type ReadOptions, readLinkFile } from './read-link-file.ts';
