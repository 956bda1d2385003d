import { defineConfig } from 'vite';

// One file and its chunks, with everything that they import: the package has no dependencies.
export default defineConfig({
  build: {
    ssr: 'src/main.ts',
    target: 'node22',
    minify: true,
    license: { fileName: 'third-party-licenses.md' },
    rolldownOptions: {
      output: {
        entryFileNames: 'waymark.js',
        chunkFileNames: '[name].js',
        banner: ({ isEntry }) => (isEntry ? '#!/usr/bin/env node' : ''),
      },
    },
  },
  ssr: { noExternal: true },
  resolve: { conditions: ['@waymark/source', 'module', 'node', 'production'] },
});
