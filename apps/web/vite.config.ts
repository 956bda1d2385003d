import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const API = process.env.API_URL ?? process.env.PUBLIC_URL ?? 'http://localhost:8080';

export default defineConfig({
  base: '/app/',
  plugins: [runMainFirst(), compress(), fillIn()],
  build: {
    target: 'baseline-widely-available',
    // The CSP has no exceptions for inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: 'index.html', main: 'src/main.ts' },
      // Hashes alone: content blockers have general rules about words in names, such as `/assets/analytics-`.
      output: {
        entryFileNames: 'assets/[hash].js',
        chunkFileNames: 'assets/[hash].js',
        assetFileNames: 'assets/[hash][extname]',
        hashCharacters: 'hex',
        // What the first view has is one script beside `main.ts`: many small ones compress worse.
        codeSplitting: {
          groups: [
            { name: 'requests', test: /src\/main\.ts$/, priority: 1 },
            { name: 'first-view', tags: ['$initial'] },
          ],
        },
      },
    },
  },
  // `pnpm dev` uses the API and the logo of a running stack.
  server: { proxy: { '/api': API, '/favicon.ico': API } },
});

/** Lets the page run `main.ts` as soon as it is loaded, before the other scripts. */
function runMainFirst(): Plugin {
  return {
    name: 'run-main-first',
    apply: 'build',
    transformIndexHtml(_html, { bundle }) {
      const main = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === 'main')!;
      const attrs = { type: 'module', crossorigin: true, async: true, src: `/app/${main.fileName}` };
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }];
    },
  };
}

/**
 * Adds a `.br` and a `.gz` beside each file that becomes smaller. The gateway sends them as they are, except the page, which
 * it changes.
 */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          if (fileName.endsWith('.html')) continue;
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

/** Fills in the page of `pnpm dev`, as the gateway does with the build. */
function fillIn(): Plugin {
  return {
    name: 'fill-in',
    apply: 'serve',
    transformIndexHtml: (html) =>
      html
        .replaceAll('-url" content=""', `-url" content="${API}"`)
        .replace('brand-name" content=""', 'brand-name" content="Waymark"'),
  };
}
