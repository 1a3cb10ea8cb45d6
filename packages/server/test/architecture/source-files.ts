import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export interface SourceFile {
  /** Relative to the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export const repositoryRoot = resolve(import.meta.dirname, '../../../..');
const serverSource = 'packages/server/src';

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Every file that matches one of the glob patterns, installed and generated ones left out. */
export function readSourceFiles(...patterns: string[]): SourceFile[] {
  return globSync(patterns, { cwd: repositoryRoot, exclude: ['**/node_modules/**', '**/dist/**'] })
    .map(toSlashes)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
}

export interface Import {
  /** Both relative to `packages/server/src`: `features/licenses/service.ts`. */
  readonly from: string;
  readonly to: string;
}

const importPattern = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** What one file of the server imports from other files of the server, type imports included. */
export function importsOf(file: SourceFile): Import[] {
  const from = toSlashes(relative(serverSource, file.path));
  return [...file.text.matchAll(importPattern)].map(([, specifier = '']) => ({
    from,
    to: toSlashes(join(dirname(from), specifier)),
  }));
}
