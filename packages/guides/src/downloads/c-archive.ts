import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tarball } from '../../../sdk/scripts/tarball.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'sdks', 'c');
/** What a build with CMake needs, and the examples; no tests. */
const contents = ['CMakeLists.txt', '*.in', 'LICENSE', 'README.md', '{include,src,examples}/**'];

/** The archive of sources, in a folder with its own name. */
export interface CArchive {
  readonly name: string;
  readonly version: string;
  readonly content: Buffer;
}

/** Returns the sources of the C SDK. The version is the one of the project in `CMakeLists.txt`. */
export function cArchive(): CArchive {
  const version = /^project\(licensing VERSION (\S+)/m.exec(readFileSync(join(folder, 'CMakeLists.txt'), 'utf8'))?.[1];
  if (version === undefined) throw new Error('sdks/c/CMakeLists.txt has no line `project(licensing VERSION …`.');
  const top = `licensing-c-${version}`;
  const files = globSync(contents, { cwd: folder })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [`${top}/${name.replaceAll('\\', '/')}`, readFileSync(join(folder, name))] as const);
  return { name: `${top}.tar.gz`, version, content: tarball(new Map(files)) };
}
