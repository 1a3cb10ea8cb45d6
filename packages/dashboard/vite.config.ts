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

const onMostScreens = [
  'ConfirmDialog',
  'CopyableText',
  'DataTable',
  'EmptyState',
  'ErrorState',
  'ExpiryText',
  'ExportMenu',
  'Facts',
  'FormDrawer',
  'FilterBar',
  'MoreActions',
  'Page',
  'Panel',
  'RunButton',
  'Section',
  'StatusBadge',
  'TimeText',
];
const inForms = ['CodeField', 'ExpiryInput', 'JsonEditor', 'MeasureInput', 'ResourceFormBody'];

/**
 * Files that hold the code of several modules with all that these import. Each file costs a slow network a wait, and the
 * list of licenses once loaded 105 of them. The login is the page that people open without a cache.
 */
const groups = [
  // What every visitor loads first.
  { name: 'start', test: /dashboard\/src\/(main|features\/identity\/LoginScreen)\.tsx/, priority: 4 },
  // The login loads it when somebody opens its menu.
  { name: 'menu', test: /dashboard\/src\/shell\/ColorSchemeMenu\.tsx/, priority: 3 },
  // What most screens have: the frame, lists, filters, states and dialogs.
  {
    name: 'shell',
    test: new RegExp(
      [
        'dashboard/src/shell/(RouteError|SignedIn|TenantArea|TenantTimeZone)\\.tsx',
        `dashboard/src/components/(${onMostScreens.join('|')})\\.tsx`,
        'dashboard/src/icons/',
      ].join('|'),
    ),
    priority: 2,
  },
  // The frames of admins.
  { name: 'admin', test: /dashboard\/src\/shell\/(PlatformArea|AdminTenantArea|AuditorBanner)\.tsx/, priority: 1 },
  // What forms have.
  {
    name: 'form',
    test: new RegExp(`dashboard/src/components/(${inForms.join('|')})\\.tsx`),
    priority: 1,
  },
  // What fields with several values have.
  {
    name: 'pills',
    test: /@mantine\/core\/esm\/components\/(Pill|PillsInput|TagsInput|.*use-pills-reorder)/,
    priority: 1,
  },
];

export default defineConfig({
  plugins: [react()],
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
        codeSplitting: { groups },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});
