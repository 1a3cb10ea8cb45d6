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

/** Returns every file that matches one of the glob patterns, except installed and generated files. */
export function readSourceFiles(...patterns: string[]): SourceFile[] {
  return globSync(patterns, { cwd: repositoryRoot, exclude: ['**/node_modules/**', '**/dist/**'] })
    .map(toSlashes)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
}

export interface Import {
  /** Both relative to the folder that the reader was given: `features/licensing/licenses/service.ts`. */
  readonly from: string;
  readonly to: string;
  /** True for an import that type stripping removes. */
  readonly isTypeOnly: boolean;
}

const importPattern =
  /\b(?:import|export)\s+(type\s+)?([^;'"]*?)\bfrom\s*['"](\.[^'"]+)['"]|\bimport\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** Returns true if every name of the list is a type, as in `{ type A, type B }`. */
function namesOnlyTypes(names: string): boolean {
  const [, list] = /^\{(.*)\}\s*$/s.exec(names) ?? [];
  if (list === undefined) return false;
  return list.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '));
}

/** Returns a file's relative imports, including type imports. The paths are relative to `folder`. */
export function importsOf(file: SourceFile, folder = serverSource): Import[] {
  const from = toSlashes(relative(folder, file.path));
  return [...file.text.matchAll(importPattern)].map(([, typeKeyword, names = '', specifier, bareSpecifier]) => ({
    from,
    to: toSlashes(join(dirname(from), specifier ?? bareSpecifier ?? '')),
    isTypeOnly: typeKeyword !== undefined || namesOnlyTypes(names),
  }));
}
