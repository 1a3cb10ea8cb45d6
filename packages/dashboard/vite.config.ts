import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev -w packages/dashboard` talks to. */
const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:3000';
const servicePaths = [
  '/api',
  '/ofrep',
  '/docs',
  '/openapi.json',
  '/openapi-integration.json',
  '/health',
  '/sandbox',
  '/webhooks/',
];

export default defineConfig({
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      generatedRouteTree: 'src/routeTree.gen.ts',
      quoteStyle: 'single',
      semicolons: true,
    }),
    react(),
  ],
  server: { proxy: Object.fromEntries(servicePaths.map((path) => [path, { target: service, changeOrigin: false }])) },
  // The service replaces it in each page that it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // These have `light-dark()`; its replacement for older browsers does not see Mantine's colour scheme.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The policy of the page allows no `data:` fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What every visitor loads first, with all that it imports, is one file: forty small ones take longer than their
        // bytes. The login is the page that people open without a cache.
        codeSplitting: {
          groups: [
            {
              name: 'start',
              test: /packages\/dashboard\/src\/(main|features\/identity\/LoginScreen)\.tsx$/,
              priority: 2,
            },
            { name: 'color-scheme', test: /packages\/dashboard\/src\/shell\/ColorSchemeButton\.tsx$/, priority: 1 },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});
