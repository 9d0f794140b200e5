import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './build/compress-assets.ts';

/** The service that `npm run dev` of this package talks to. */
const service = process.env.COMMONPLACE_URL ?? 'http://127.0.0.1:8080';

/** What every page needs is in two files, and not in thirty: one that changes with the packages, one that changes with this. */
const firstFiles = [
  {
    name: 'framework',
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!.*virtual)[^/]+)\//,
    priority: 2,
  },
  { name: 'design', test: /packages\/(client\/src|dashboard\/src\/(design|api)\/(?!menu-popup|chart))/, minShareCount: 3, priority: 1 },
];

export default defineConfig({
  plugins: [react(), compressAssets()],
  build: {
    target: 'es2023',
    // A polyfill would be for browsers that lack `light-dark()` too.
    modulePreload: { polyfill: false },
    // A data: URL would need to be allowed by the Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A test holds the size of the first load, compressed.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { output: { codeSplitting: { groups: firstFiles } } },
  },
  server: { proxy: { '/api': service, '/openapi.json': service } },
});
