import type { Command } from 'commander';
import { printError } from './print.ts';

/** Lets Commander throw its errors instead of ending the process, and print them as JSON if `json` is true. */
export function throwErrors(command: Command, json: boolean): void {
  command.exitOverride();
  if (json) command.configureOutput({ outputError: (text) => printError(true, text.replace(/^error: /, '').trim()) });
  for (const inner of command.commands) throwErrors(inner, json);
}
