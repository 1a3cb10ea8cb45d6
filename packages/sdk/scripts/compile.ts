import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const sources = join(import.meta.dirname, '..', 'src');
/** Where the CommonJS form is, for `require()` in Node versions that cannot require ES modules. */
const commonJs = 'cjs';
/** Electron loads no ES modules as preload scripts of sandboxed pages. */
const onlyCommonJs = 'electron/preload';

/**
 * Compiles the package with Rolldown, which every installation of the repository has; only tests and editors need the
 * TypeScript compiler. Returns the content of each file of `dist`, by its path in it: one JavaScript file and one
 * declaration file per source, once as ES modules, and once as CommonJS.
 */
export async function compilePackage(): Promise<Map<string, string>> {
  const names = globSync('**/*.ts', { cwd: sources }).map((name) => name.replaceAll('\\', '/').replace(/\.ts$/, ''));
  const files = new Map<string, string>();
  const declarations = names.map((name) => [`${name}.d.ts`, declarationOf(name)] as const);
  for (const [format, folder] of [
    ['esm', ''],
    ['cjs', `${commonJs}/`],
  ] as const) {
    const compiled = names.filter((name) => format === 'cjs' || name !== onlyCommonJs);
    for (const [name, code] of [...(await scriptsOf(compiled, format)), ...declarations])
      files.set(folder + name, code);
  }
  files.set(`${commonJs}/package.json`, '{ "type": "commonjs" }\n');
  return files;
}

async function scriptsOf(names: readonly string[], format: 'esm' | 'cjs'): Promise<[string, string][]> {
  const bundle = await rolldown({
    // Each file names its source, relative to this folder.
    cwd: sources,
    input: Object.fromEntries(names.map((name) => [name, join(sources, `${name}.ts`)])),
    platform: 'neutral',
    external: [/^node:/, 'react', 'electron'],
    transform: { target: 'es2022' },
    treeshake: false,
  });
  const { output } = await bundle.generate({
    format,
    preserveModules: true,
    preserveModulesRoot: sources,
    // Editors show the comments of the declarations.
    comments: false,
  });
  await bundle.close();
  return output.flatMap((file): [string, string][] => (file.type === 'chunk' ? [[file.fileName, file.code]] : []));
}

function declarationOf(name: string): string {
  const path = join(sources, `${name}.ts`);
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'));
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  // Not every version of the compiler resolves `.ts` in an import.
  return code.replaceAll(/((?:from|import)\s*\(?"\.[^"]*)\.ts"/g, '$1.js"');
}
