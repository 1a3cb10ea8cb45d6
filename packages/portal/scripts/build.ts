// Builds the page of license holders into `dist`: `node packages/portal/scripts/build.ts`. `scripts/portal.mjs` (root)
// runs it if a source has changed.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { compressFiles } from '../../../scripts/compress-files.ts';
import { replaceFolder } from '../../../scripts/replace-folder.ts';

const folder = resolve(import.meta.dirname, '..');
const unfinished = join(folder, '.dist');

// A caller such as a test sets another mode, in which React is larger and slower.
process.env['NODE_ENV'] = 'production';
await build({
  root: folder,
  // Node reads TypeScript, so the configuration need not be bundled.
  configLoader: 'native',
  logLevel: 'warn',
  build: { outDir: unfinished, emptyOutDir: true, license: { fileName: 'portal-assets/third-party-notices.md' } },
});
// The page decides what it shows at a path below its own.
writeFileSync(
  join(unfinished, 'routes.json'),
  JSON.stringify({ '/portal/_preview': [], '/portal/:handle': [], '/portal/:handle/*': [] }),
);
await compressFiles(unfinished, () => true);
replaceFolder(join(folder, 'dist'), unfinished);
