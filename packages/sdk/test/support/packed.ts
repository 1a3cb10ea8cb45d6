import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../..', import.meta.url));

/** An empty project in which the packed package is installed. */
export interface Project {
  readonly folder: string;
  /** The folder of the installed package. */
  readonly installed: string;
  /** The paths of the files in the tarball. */
  readonly files: readonly string[];
}

/** Packs the package as a release does, and installs the tarball without a network. */
export async function installPackage(): Promise<Project> {
  const project = await mkdtemp(join(tmpdir(), 'licensing-sdk-'));
  const { stdout } = await npm(folder, 'pack', '--json', '--pack-destination', project);
  // The output of the script `prepack` may come first.
  const parsed: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [packed] = Object.values(parsed as Record<string, { filename: string; files: { path: string }[] }>);
  if (packed === undefined) throw new Error(`npm pack reported no package: ${stdout}`);
  await writeFile(join(project, 'package.json'), '{ "name": "application", "private": true, "type": "module" }\n');
  await npm(project, 'install', '--offline', join(project, packed.filename));
  return {
    folder: project,
    installed: join(project, 'node_modules/@licensing/sdk'),
    files: packed.files.map(({ path }) => path).sort(),
  };
}

function npm(cwd: string, ...args: readonly string[]) {
  const script = process.env['npm_execpath'];
  const isScript = script?.endsWith('.js') === true;
  const [command, first] = isScript ? [process.execPath, [script]] : ['npm', []];
  return run(command, [...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    maxBuffer: 10_000_000,
  });
}
