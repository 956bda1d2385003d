export { findSigningKey, readStackFile, type StackFile } from './data-dir.ts';
export { findFreePorts } from './ports.ts';
export { type Stack, type StackOptions, startStack } from './stack.ts';
export { StackError } from './stack-error.ts';
export { isRunning } from './stack-lock.ts';
export type { StackProcess } from './stack-process.ts';
