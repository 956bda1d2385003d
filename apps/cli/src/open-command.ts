import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { connect } from './connection.ts';
import { addCommand, type Values } from './options.ts';
import { noteOnTerminal } from './output/print.ts';

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Adds `open`. */
export function addOpenCommand(program: Command): void {
  addCommand(program, 'open [link]', 'open the dashboard in the browser, or the page of a link in it').action(
    async (id: string | undefined, { json }: Values) => {
      const client = await connect();
      const link = id === undefined ? null : await client.get('/api/v1/links/{id}', { path: { id } });
      const url = `${client.url}/app/${link === null ? '' : `links/${encodeURIComponent(link.id)}`}`;
      print(json, { url }, url);
      if (process.stdout.isTTY) await openInBrowser(url);
    },
  );
}

async function openInBrowser(url: string): Promise<void> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const browser = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  try {
    await once(browser, 'spawn');
    browser.unref();
  } catch {
    noteOnTerminal('No browser was found here; open the address above.');
  }
}
