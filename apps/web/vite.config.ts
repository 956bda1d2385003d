import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const API = process.env.PUBLIC_URL ?? 'http://localhost:8080';

/** What every view needs, but `main.ts` does not. */
const SHARED = [
  /node_modules(?!.*(papaparse|openapi-fetch))/,
  /src\/(components|layout)\//,
  /src\/session\/(account|session-gate|signed-out-page)/,
  /src\/(app|search-params|start)\.ts/,
];

export default defineConfig({
  base: '/app/',
  plugins: [react(), preloadStart(), compress()],
  build: {
    target: 'baseline-widely-available',
    // The CSP has no exceptions for inlined files.
    assetsInlineLimit: 0,
    // One file of styles: a request for each view would cost more than its few kilobytes.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What every view needs is one file: a browser has six connections to an HTTP/1.1 server, and the API needs two.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'frame', test: (id) => SHARED.some((part) => part.test(id)) }],
        },
      },
    },
  },
  // `pnpm dev` uses the API of a running stack.
  server: { proxy: { '/api': API } },
});

/** Lets the page ask for `start.tsx` and its imports together with the entry, not after it. */
function preloadStart(): Plugin {
  return {
    name: 'preload-start',
    apply: 'build',
    transformIndexHtml(_html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
      const start = chunks.find(({ name }) => name === 'start');
      if (start === undefined) throw new Error('The build has no chunk of start.tsx.');
      const entry = chunks.find(({ isEntry }) => isEntry)!;
      return [start.fileName, ...start.imports]
        .filter((name) => name !== entry.fileName && !entry.imports.includes(name))
        .map((name) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/app/${name}` } }));
    },
  };
}

/** Adds a `.br` and a `.gz` beside each file that becomes smaller. The gateway sends them as they are. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          const forms = { '.br': await promisify(brotliCompress)(content), '.gz': await promisify(gzip)(content) };
          for (const [suffix, source] of Object.entries(forms)) {
            if (source.length < content.length) this.emitFile({ type: 'asset', fileName: fileName + suffix, source });
          }
        }
      },
    },
  };
}
