import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const API = process.env.PUBLIC_URL ?? 'http://localhost:8080';

export default defineConfig({
  base: '/app/',
  plugins: [react(), compress()],
  build: {
    target: 'baseline-widely-available',
    // The CSP has no exceptions for inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `pnpm dev` uses the API of a running stack.
  server: { proxy: { '/api': API } },
});

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
