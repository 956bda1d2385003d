import type { Command } from 'commander';
import { interrupted } from './interruption.ts';
import { runBridge } from './mcp/bridge.ts';
import { readConnection } from './settings.ts';

/** Adds `mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the MCP tools over stdio, for clients that only start local servers')
    .action(async () => {
      const log = (text: string) => process.stderr.write(`${text}\n`);
      await runBridge(readConnection, { input: process.stdin, output: process.stdout, log, signal: interrupted });
    });
}
