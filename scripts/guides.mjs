// Builds the site of /docs (packages/guides) if one of its sources has changed since. Plain JavaScript, because
// setup.mjs, which runs on Node 18, asks whether the site is current.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const guides = join(root, 'packages', 'guides');
const stampFile = join(guides, 'dist', '.stamp');
/** Besides its own files, the site is made from the API's document and the service's table of errors. */
const inputs = [
  ...['pages', 'src', 'client', 'package.json'].map((name) => join(guides, name)),
  join(root, 'openapi.json'),
  join(root, 'packages', 'server', 'src', 'lib', 'error-codes.ts'),
];

function filesIn(path) {
  if (!existsSync(path)) return [];
  const entries = path.endsWith('.json') || path.endsWith('.ts') ? null : readdirSync(path, { withFileTypes: true });
  if (entries === null) return [path];
  return entries.flatMap((entry) => {
    const inner = join(path, entry.name);
    return entry.isDirectory() ? filesIn(inner) : [inner];
  });
}

/** Returns a hash of every source: content instead of times, because a checkout changes all times. */
function sourcesHash() {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap(filesIn).sort()) {
    hash.update(`${relative(root, path).replaceAll('\\', '/')}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Returns true if the site was built from the sources as they are. */
export function isSiteCurrent() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourcesHash();
}

/** Returns true if the packages that build the site are installed; a production installation has removed them. */
export function canBuildSite() {
  return existsSync(join(root, 'node_modules', '@11ty', 'eleventy'));
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !isSiteCurrent()) {
  const hash = sourcesHash();
  const { status } = spawnSync(process.execPath, [join(guides, 'src', 'build.ts')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stampFile, hash);
}
