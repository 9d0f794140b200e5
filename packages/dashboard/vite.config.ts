import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './build/compress-assets.ts';

/** The service that `npm run dev` of this package talks to. */
const service = process.env.COMMONPLACE_URL ?? 'http://127.0.0.1:8080';

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
  },
  server: { proxy: { '/api': service, '/openapi.json': service } },
});
