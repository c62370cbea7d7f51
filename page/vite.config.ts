import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { mathml } from './mathml.ts';

// The bundle is committed: names without hashes keep the diff readable, relative addresses let the same files be
// served live and exported into any folder.
export default defineConfig({
  base: './',
  plugins: [svelte(), mathml()],
  build: {
    outDir: '../src/armillary/web/static',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
  },
  test: { environment: 'jsdom', include: ['tests/**/*.test.ts'] },
  ...(process.env.VITEST ? { resolve: { conditions: ['browser'] } } : {}), // Svelte's client build in tests
});
