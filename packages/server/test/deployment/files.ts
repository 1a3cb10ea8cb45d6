import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { dockerfileStages } from '../../../../scripts/image-build.ts';
import { secretVariables } from '../../src/config/setting-names.ts';
import { readSourceFiles, repositoryRoot as root } from '../architecture/source-files.ts';

/** Returns the paths of matching files, relative to the repository's root. */
export function listFiles(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).sort();
}

export function fileExists(path: string): boolean {
  return existsSync(join(root, path));
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Returns every document of a YAML file. Throws the first syntax error. */
export function readYaml<Document>(path: string): Document[] {
  return parseAllDocuments(readText(path)).map((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    return document.toJS();
  });
}

/** Returns the `A=1` lines of an environment file, without comments. */
export function readVariables(path: string): Map<string, string> {
  const lines = readText(path).matchAll(/^([A-Z_]+)=(.*)$/gm);
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** Returns the names of the variables that the configuration reads, including the `…_FILE` variants of secrets. */
export function configurationVariables(): Set<string> {
  const read = readSourceFiles('packages/server/src/config/*config.ts').flatMap(({ text }) =>
    [...text.matchAll(/\breader\.\w+\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name),
  );
  return new Set([...read, ...secretVariables.map((name) => `${name}_FILE`)]);
}

let documentedPaths: Record<string, object> | undefined;

/** Returns true if `openapi.json` has a GET route at this path. */
export function hasGetRoute(path: string): boolean {
  documentedPaths ??= (JSON.parse(readText('openapi.json')) as { paths: Record<string, object> }).paths;
  return 'get' in (documentedPaths[path] ?? {});
}

/** Returns the settings of the image, to compare them with the files that run it. */
export function image() {
  const instructions = dockerfileStages().at(-1) ?? [];
  const value = (name: string) => instructions.findLast(([instruction]) => instruction === name)?.[1] ?? '';
  const env = Object.fromEntries(
    instructions
      .filter(([name]) => name === 'ENV')
      .flatMap(([, text]) => text.split(' ').map((pair) => pair.split('=') as [string, string])),
  );
  return { value, env, port: Number(env['PORT']), user: Number(value('USER').split(':')[0]) };
}
