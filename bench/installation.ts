import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildImageFiles } from '../scripts/image-build.ts';
import { isQuick, median } from './measure.ts';
import { cpuSeconds, type Program, residentMib, startService } from './processes.ts';
import { createSite, type Site } from './site.ts';

const starts = isQuick ? 2 : 5;
/** After the last work of a start: the first poll of each job, and the release of freed memory. */
const idleMs = 5_000;

/** What the files of the image, and a process that runs from them, cost. */
interface InstallationCosts {
  /** The sum of all files, with Node. */
  readonly bytes: number;
  /** User and system time of all threads until the service listens: the least of all starts. */
  readonly readyCpuSeconds: number;
  /** Resident memory without requests, five seconds after the start: the median. */
  readonly idleMib: number;
}

/** Builds the files of the image and starts them on the same data. */
export async function measureInstallation(): Promise<InstallationCosts> {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-image-'));
  const site = await createSite();
  try {
    const { node, installation } = buildImageFiles(folder);
    forgetPages(node);
    const bytes = lstatSync(node).size + bytesIn(installation);
    const program = { binary: node, file: join(installation, 'packages', 'server', 'bin', 'licensing.mjs') };
    // The first start creates the data and fills the compile cache, which belongs to the installation.
    await measureStart(program, site);
    const measured: Awaited<ReturnType<typeof measureStart>>[] = [];
    for (let index = 0; index < starts; index += 1) measured.push(await measureStart(program, site));
    return {
      bytes,
      readyCpuSeconds: Math.min(...measured.map((start) => start.readyCpuSeconds)),
      idleMib: median(measured.map((start) => start.idleMib)),
    };
  } finally {
    await site.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Drops a file that was just written from the page cache. Linux caches it in larger pieces than a file that it reads,
 * and counts whole pieces as resident in every process that maps the file.
 */
function forgetPages(file: string): void {
  spawnSync('sync', [file]);
  spawnSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
}

async function measureStart(program: Program, site: Site) {
  const server = await startService(site, {}, program);
  const readyCpuSeconds = cpuSeconds(server.pid);
  await wait(idleMs);
  const idleMib = residentMib(server.pid);
  await server.stop();
  return { readyCpuSeconds, idleMib };
}

/** Returns the sum of the sizes of all files in a folder. Links count as themselves. */
function bytesIn(folder: string): number {
  // Not recursive by `readdir`, which follows links to folders.
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, status: lstatSync(path) }))
    .reduce((sum, { path, status }) => sum + (status.isDirectory() ? bytesIn(path) : status.size), 0);
}
