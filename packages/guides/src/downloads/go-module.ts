import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zip } from './zip.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'sdks', 'go');
/** What a program needs of the module, and its examples; no tests. */
const contents = ['*.go', 'api/*.go', 'internal/hook/*.go', 'go.mod', 'LICENSE', 'README.md', 'examples/**/*.go'];

/** The module as the files that a proxy of modules serves. */
export interface GoModule {
  readonly name: string;
  readonly content: Buffer;
  /** The texts beside the zip by their paths. */
  readonly companions: ReadonlyMap<string, string>;
}

/**
 * Returns the Go SDK in the layout of https://go.dev/ref/mod#goproxy-protocol, below the address `…/docs/downloads/go`. A
 * module has no version in its sources, so it has the given one. The zip follows https://go.dev/ref/mod#zip-files.
 */
export function goModule(version: string): GoModule {
  const manifest = readFileSync(join(folder, 'go.mod'), 'utf8');
  const path = /^module (\S+)$/m.exec(manifest)?.[1] ?? '';
  const tag = `v${version}`;
  const files = globSync(contents, { cwd: folder })
    .filter((name) => !name.endsWith('_test.go'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
    .map((name) => [`${path}@${tag}/${name}`, readFileSync(join(folder, name))] as const);
  const info = JSON.stringify({ Version: tag });
  return {
    name: `go/${path}/@v/${tag}.zip`,
    content: zip(new Map(files)),
    companions: new Map([
      [`go/${path}/@v/list`, `${tag}\n`],
      [`go/${path}/@v/${tag}.info`, info],
      [`go/${path}/@v/${tag}.mod`, manifest],
      [`go/${path}/@latest`, info],
    ]),
  };
}
