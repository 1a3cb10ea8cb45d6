import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(server, 'src');
const bundle = join(server, 'dist', 'main.mjs');
/** A production installation has only what the bundle needs. */
const hasAllPackages = existsSync(join(server, '..', '..', 'node_modules', 'rolldown'));

function hasFileNewerThan(momentMs, folder) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return hasFileNewerThan(momentMs, path);
    return !entry.name.endsWith('.test.ts') && statSync(path).mtimeMs > momentMs;
  });
}

/** Returns true if `scripts/bundle.mjs` ran after the last change of the program. */
export function isBundleCurrent() {
  if (!existsSync(bundle)) return false;
  const bundledMs = statSync(bundle).mtimeMs;
  const isOlder = statSync(join(server, 'package.json')).mtimeMs > bundledMs;
  return !isOlder && !hasFileNewerThan(bundledMs, sources);
}

/**
 * Returns the file that runs the command line: the bundle, or the sources if they have changed since. Returns undefined
 * if neither can run.
 */
export function entryPoint() {
  if (isBundleCurrent()) return bundle;
  return hasAllPackages ? join(sources, 'main.ts') : undefined;
}
