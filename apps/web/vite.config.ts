import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { gzipAsync } from '@gfx/zopfli';
import { defineConfig, type Plugin } from 'vite';

const API = process.env.API_URL ?? process.env.PUBLIC_URL ?? 'http://localhost:8080';

export default defineConfig({
  base: '/app/',
  // Calls of `h` compress better than those of the automatic runtime. The type check is that of the latter.
  oxc: { jsx: { runtime: 'classic', pragma: 'createNode', pragmaFrag: 'NodesAlone' } },
  plugins: [importPragmas(), runMainFirst(), copyFlags(), compress(), fillIn()],
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

/** Imports what JSX calls. `oxc.jsxInject` would do so in each `.ts` too, and `main.ts` would load Preact. */
function importPragmas(): Plugin {
  return {
    name: 'import-pragmas',
    enforce: 'pre',
    transform: {
      filter: { id: /\.tsx$/ },
      handler: (code) => `import { Fragment as NodesAlone, h as createNode } from 'preact';${code}`,
    },
  };
}

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
 * Copies the flags of countries into a folder that is named by a hash of all of them, so that a script needs one name for
 * all. Each is named by the codes of its letters (pictogram.tsx). They are loaded when they are shown.
 */
function copyFlags(): Plugin {
  const source = join(dirname(fileURLToPath(import.meta.resolve('country-flag-icons/package.json'))), '3x2');
  const names = readdirSync(source).filter((name) => /^[A-Z]{2}\.svg$/.test(name));
  const flags = names.map((name) => ({ code: name.slice(0, 2), svg: readFileSync(join(source, name)) }));
  const hash = createHash('sha256');
  for (const { code, svg } of flags) hash.update(code).update(svg);
  const folder = `assets/${hash.digest('hex').slice(0, 8)}`;
  return {
    name: 'copy-flags',
    config: () => ({ define: { FLAGS_URL: JSON.stringify(`/app/${folder}`) } }),
    generateBundle() {
      for (const { code, svg } of flags)
        this.emitFile({
          type: 'asset',
          fileName: `${folder}/${Buffer.from(code).toString('hex')}.svg`,
          source: svg,
        });
    },
  };
}

/**
 * Adds a `.br` and a `.gz` beside each file that becomes smaller. The gateway sends them as they are, except the page, which
 * it changes. Zopfli makes scripts 4 % smaller than zlib does. It is too slow for hundreds of flags.
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
          const forms = {
            '.br': await promisify(brotliCompress)(content),
            '.gz': await (file.type === 'chunk' ? gzipAsync(content, {}) : promisify(gzip)(content)),
          };
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
