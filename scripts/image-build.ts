// Does what the Dockerfile says without a Docker engine, so that tests and benchmarks see the files of the image. It runs
// on this machine's system and Node: whether the base images have what the commands need, only an engine shows.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, matchesGlob, relative, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '..');
const ignoreLines = readFileSync(join(repository, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** The name of an instruction of the Dockerfile, and the rest of its line: `['USER', '10001:10001']`. */
export type Instruction = readonly [name: string, value: string];

/** Returns the instructions of each stage of the Dockerfile, with continued lines joined. */
export function dockerfileStages(): readonly (readonly Instruction[])[] {
  const text = readFileSync(join(repository, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .trim();
  return text.split(/^(?=FROM )/m).map((stage) =>
    stage
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): Instruction => {
        const space = line.indexOf(' ');
        return [line.slice(0, space), line.slice(space + 1)];
      }),
  );
}

/**
 * Returns true if `.dockerignore` excludes a path whose folders are not excluded. As in Docker, the last pattern that
 * matches decides.
 */
export function isExcluded(path: string): boolean {
  const matching = ignoreLines.findLast((line) => matchesGlob(path, line.replace(/^!/, '')));
  return matching !== undefined && !matching.startsWith('!');
}

/** The files that the build of the image leaves for its last stage. */
export interface ImageFiles {
  readonly node: string;
  readonly installation: string;
}

/**
 * Runs the first stage of the Dockerfile in `folder`: copies the repository without what `.dockerignore` excludes, and
 * runs the commands. Packages of the system must be installed already.
 */
export function buildImageFiles(folder: string): ImageFiles {
  const [build = [], image = []] = dockerfileStages();
  const [, workingFolder = ''] = build.find(([name]) => name === 'WORKDIR') ?? [];
  const context = join(folder, basename(workingFolder));
  for (const [name, value] of build) {
    if (name === 'COPY') copyContext(value, context);
    if (name === 'RUN' && !value.startsWith('apt-get ')) run(value.replace(/^--mount=\S+ /, ''), context);
  }
  const copied = (target: string) => {
    const instruction = image.find(([name, value]) => name === 'COPY' && value.endsWith(` ${target}`));
    const source = instruction?.[1].split(' ')[1];
    if (source === undefined) throw new Error(`The last stage of the Dockerfile copies nothing to ${target}.`);
    return join(folder, relative(join(workingFolder, '..'), source));
  };
  return { node: copied('/usr/local/bin/node'), installation: copied('/app') };
}

function copyContext(value: string, folder: string): void {
  if (value !== '. .')
    throw new Error(`"COPY ${value}" in the Dockerfile: scripts/image-build.ts knows only "COPY . .".`);
  mkdirSync(folder, { recursive: true });
  cpSync(repository, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => path === repository || !isExcluded(relative(repository, path)),
  });
}

function run(command: string, folder: string): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`"${command}" of the Dockerfile failed:\n${stdout}${stderr}`);
}
