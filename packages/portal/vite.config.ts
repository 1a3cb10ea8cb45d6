import { defineConfig } from 'vite';

/** The service that `npm run dev -w packages/portal` talks to. */
const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  server: { proxy: { '/api': { target: service, changeOrigin: false } } },
  // The service replaces it in each page that it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    // A folder of its own, because the dashboard is served from the same origin.
    assetsDir: 'portal-assets',
    target: 'es2023',
    // These have `light-dark()`.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
