// Writes src/api/schema.gen.ts, the types of the requests and responses, from openapi.json. It is
// not in git: `node scripts/generated.mjs` runs this.
// The generator needs TypeScript 5.9, so it is installed in tools/codegen.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const dashboard = resolve(import.meta.dirname, '..');
const root = resolve(dashboard, '..', '..');
const target = join(dashboard, 'src', 'api', 'schema.gen.ts');

/** The tenant's screens call the paths of the tenant surface; the client rewrites them for the admin surface. */
const isMirrored = (path) => path.startsWith('/api/v1/admin/tenants/{tenantId}/');

/** Editors do not need the texts of the document, which are two thirds of it. */
function withoutTexts(value, key) {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (typeof value !== 'object' || value === null) return value;
  const isMap = key === 'properties' || key === 'schemas' || key === 'paths';
  const entries = Object.entries(value).filter(
    ([name]) => isMap || !['description', 'summary', 'examples', 'example', 'tags'].includes(name),
  );
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutTexts(item, isMap ? undefined : name)]));
}

const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
document.paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => !isMirrored(path)));
const folder = mkdtempSync(join(tmpdir(), 'dashboard-schema-'));
try {
  const input = join(folder, 'openapi.json');
  const output = join(folder, 'schema.ts');
  writeFileSync(input, JSON.stringify(withoutTexts(document)));
  const generator = join(root, 'tools', 'codegen', 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  const { status } = spawnSync(process.execPath, [generator, input, '-o', output, '--default-non-nullable=false'], {
    // The generator reads the configuration of the linter if it runs in its folder.
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('openapi-typescript failed. Install it with `sh scripts/setup-codegen.sh`.');
  writeFileSync(target, readFileSync(output, 'utf8'));
} finally {
  rmSync(folder, { recursive: true });
}
