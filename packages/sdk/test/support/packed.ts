import { execFile } from 'node:child_process';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { packageTarball } from '../../scripts/tarball.ts';

const run = promisify(execFile);

/** An empty project in which the packed package is installed. */
export interface Project {
  readonly folder: string;
  /** The folder of the installed package. */
  readonly installed: string;
  /** The paths of the files in the tarball. */
  readonly files: readonly string[];
}

/** The files of a worker share it, because the compiler needs seconds. */
let tarball: Promise<Buffer> | undefined;

/** Builds the tarball that the service serves, and installs it without a network. */
export async function installPackage(): Promise<Project> {
  const project = await mkdtemp(join(tmpdir(), 'licensing-sdk-'));
  tarball ??= packageTarball();
  await writeFile(join(project, 'licensing-sdk.tgz'), await tarball);
  await writeFile(join(project, 'package.json'), '{ "name": "application", "private": true, "type": "module" }\n');
  await npm(project, 'install', '--offline', './licensing-sdk.tgz');
  const installed = join(project, 'node_modules/@licensing/sdk');
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
  return { folder: project, installed, files: files.sort() };
}

/** Runs npm in a folder, without a network. */
export function npm(cwd: string, ...args: readonly string[]) {
  const script = process.env['npm_execpath'];
  const isScript = script?.endsWith('.js') === true;
  const [command, first] = isScript ? [process.execPath, [script]] : ['npm', []];
  return run(command, [...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    maxBuffer: 10_000_000,
  });
}
