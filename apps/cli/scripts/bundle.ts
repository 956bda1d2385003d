// Makes the MCPB bundle of `waymark mcp`: bundle.ts [FILE]. Run `build` first.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const app = join(import.meta.dirname, '..');
const file = resolve(process.argv[2] ?? join(app, 'waymark.mcpb'));
const { version, license, engines } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
  engines: { node: string };
};

const manifest = {
  manifest_version: '0.3',
  name: 'waymark',
  display_name: 'Waymark',
  version,
  description: 'Short links and their click analytics, of a self-hosted Waymark',
  author: { name: 'The authors of Waymark' },
  license,
  server: {
    type: 'node',
    entry_point: 'waymark.js',
    mcp_config: {
      command: 'node',
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the client fills them in
      args: ['${__dirname}/waymark.js', 'mcp'],
      env: { WAYMARK_URL: '${user_config.url}', WAYMARK_KEY: '${user_config.key}' },
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the client fills them in
    },
  },
  tools_generated: true,
  user_config: {
    url: { type: 'string', title: 'Address', description: 'The base URL, such as https://go.example', required: true },
    key: { type: 'string', title: 'API key', description: 'key_pub_… for agents', required: true, sensitive: true },
  },
  compatibility: { runtimes: { node: engines.node } },
};

const folder = mkdtempSync(join(tmpdir(), 'waymark-mcpb-'));
try {
  for (const name of readdirSync(join(app, 'dist'))) copyFileSync(join(app, 'dist', name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2));
  // It checks the manifest against its schema, too.
  execFileSync(join(app, 'node_modules/.bin/mcpb'), ['pack', folder, file], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true });
}
