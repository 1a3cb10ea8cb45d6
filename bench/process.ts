import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isQuick, median } from './measure.ts';
import { cpuSeconds, type Program, programOf, residentParts, startService } from './processes.ts';
import { createSite, type Site } from './site.ts';
import type { Row } from './table.ts';

const repository = join(import.meta.dirname, '..');
const targets = { residentMib: 130, readySeconds: 0.8, installationMb: 150 };
const starts = isQuick ? 2 : 7;
/** After the last work of a start: the first poll of each job, and the release of freed memory. */
const idleMs = 5_000;

interface Start {
  readonly wallSeconds: number;
  /** User and system time of all threads. */
  readonly cpuSeconds: number;
  readonly anonymousMib: number;
  readonly fileMib: number;
}

/** Makes a production installation as the Dockerfile does, and measures it and a process that runs from it. */
export async function benchmarkProcess(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-installation-'));
  const site = await createSite();
  try {
    install(folder);
    const program = programOf(folder);
    // The first start creates the data and fills the compile cache, which belongs to the installation.
    await measureStart(program, site);
    const measured: Start[] = [];
    for (let index = 0; index < starts; index += 1) measured.push(await measureStart(program, site));
    return rowsOf(measured, bytesIn(folder) / 1e6);
  } finally {
    await site.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies what the Dockerfile copies, and runs its installation with the registry that npm is configured to use. */
function install(folder: string): void {
  const allowed = readFileSync(join(repository, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm);
  for (const [, path = ''] of allowed) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(repository, path), join(folder, path), {
      recursive: true,
      preserveTimestamps: true,
      filter: (file) => !file.endsWith('.test.ts'),
    });
  }
  const setup = join(folder, 'scripts', 'setup.mjs');
  const { status, stderr } = spawnSync(process.execPath, [setup, '--production'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The production installation failed:\n${stderr}`);
  forgetPages(join(folder, 'node_modules', '.bin', 'node'));
}

/**
 * Drops a file that was just written from the page cache. Linux caches it in larger pieces than a file that it reads,
 * and counts whole pieces as resident in every process that maps the file.
 */
function forgetPages(file: string): void {
  spawnSync('sync', [file]);
  spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
}

async function measureStart(program: Program, site: Site): Promise<Start> {
  const startedMs = performance.now();
  const server = await startService(site, {}, program);
  const wallSeconds = (performance.now() - startedMs) / 1000;
  const cpu = cpuSeconds(server.pid);
  await wait(idleMs);
  const { anonymousKib, fileKib } = residentParts(server.pid);
  await server.stop();
  return { wallSeconds, cpuSeconds: cpu, anonymousMib: anonymousKib / 1024, fileMib: fileKib / 1024 };
}

function rowsOf(measured: readonly Start[], installationMb: number): Row[] {
  const anonymous = median(measured.map(({ anonymousMib }) => anonymousMib));
  const file = median(measured.map(({ fileMib }) => fileMib));
  const cpu = Math.min(...measured.map((start) => start.cpuSeconds));
  const wall = Math.min(...measured.map(({ wallSeconds }) => wallSeconds));
  const row = (name: string, ours: string, value: number, most: number, unit: string): Row => ({
    ...{ name, ours, floor: '-', ratio: '-', target: `≤ ${most} ${unit}` },
    verdict: value <= most ? 'ok' : 'short',
  });
  const resident = anonymous + file;
  const memory = `${Math.round(resident)} MiB (${Math.round(anonymous)} anonymous, ${Math.round(file)} of files)`;
  const ready = `${cpu.toFixed(2)} s CPU, ${wall.toFixed(2)} s by the clock`;
  return [
    row('process: resident when idle', memory, resident, targets.residentMib, 'MiB'),
    // By the clock on an idle machine; another load prolongs that, but hardly the CPU time.
    row('process: ready', ready, Math.min(cpu, wall), targets.readySeconds, 's'),
    row('process: size with Node', `${installationMb.toFixed(0)} MB`, installationMb, targets.installationMb, 'MB'),
  ];
}

/** Returns the sum of the sizes of all files in a folder. Links count as themselves. */
function bytesIn(folder: string): number {
  // Not recursive by `readdir`, which follows links to folders.
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, status: lstatSync(path) }))
    .reduce((sum, { path, status }) => sum + (status.isDirectory() ? bytesIn(path) : status.size), 0);
}
