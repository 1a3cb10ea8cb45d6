import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { resource } from '../packages/server/test/support/fake-keygen.ts';
import {
  newLicense,
  newMachine,
  newPolicy,
  productId,
  userId,
} from '../packages/server/test/support/keygen-account.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { cpuSeconds, residentKib } from './processes.ts';
import { createSite, type Site, withSite } from './site.ts';
import { perSecond, type Row } from './table.ts';

/** Set `KEYGEN_LICENSES` to a million for the figures in docs/benchmarks.md. */
const licenses = Number(process.env['KEYGEN_LICENSES'] ?? (process.env['BENCH_QUICK'] === '1' ? 2_000 : 100_000));
const pageSize = 100;
const lookEveryMs = 250;
const memoryTargetMib = 400;
const mainFile = join(import.meta.dirname, '..', 'packages', 'server', 'src', 'main.ts');

/** Measures `import keygen` of saved pages with a machine per license, embedded and on PostgreSQL. */
export async function benchmarkKeygenImport(): Promise<Row[]> {
  const rows = await measureImport(await createSite(), 'embedded');
  const postgres = await startPostgres({ durable: true });
  try {
    return [...rows, ...(await measureImport(await createSite(postgres.url), 'PostgreSQL'))];
  } finally {
    await postgres.stop();
  }
}

async function measureImport(site: Site, engine: string): Promise<Row[]> {
  try {
    const tenantId = await withSite(site, async (services) => createTenant(services, systemActor, { name: 'Moving' }));
    const file = join(site.dataDir, 'pages.ndjson');
    writePages(file);
    const args = ['import', 'keygen', '--from', file, '--tenant', tenantId];
    const first = await runImport(site, args);
    const again = await runImport(site, args);
    const amount = `${licenses.toLocaleString('en')} licenses with a machine each from Keygen, ${engine}`;
    return [rateRow(`import ${amount}`, first), rateRow('repeat it without a change', again), memoryRow(first)];
  } finally {
    await site.remove();
  }
}

/** Writes the pages of an account, one at a time. */
function writePages(file: string): void {
  const handle = openSync(file, 'w');
  const write = (data: readonly object[]) => writeSync(handle, `${JSON.stringify({ data })}\n`);
  write([resource('products', productId, { name: 'Editor', code: 'editor' })]);
  write([newPolicy()]);
  write([resource('users', userId, { fullName: 'Ada Lovelace', email: 'ada@example.com', role: 'user' })]);
  for (const make of [newLicense, (number: number) => newMachine(number, number)]) {
    for (let start = 1; start <= licenses; start += pageSize)
      write(Array.from({ length: Math.min(pageSize, licenses - start + 1) }, (_, index) => make(start + index)));
  }
  closeSync(handle);
}

interface ImportRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The resident memory in MiB during the run, in equal intervals. */
  readonly resident: readonly number[];
}

async function runImport(site: Site, args: readonly string[]): Promise<ImportRun> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { ...process.env, ...site.env },
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  const resident: number[] = [];
  let cpu = 0;
  while (child.exitCode === null) {
    try {
      resident.push(residentKib(Number(child.pid)) / 1024);
      cpu = cpuSeconds(Number(child.pid));
    } catch {
      // The process has ended.
    }
    await Promise.race([ended, delay(lookEveryMs)]);
  }
  if (child.exitCode !== 0) throw new Error(`licensing ${args.join(' ')} exited with ${child.exitCode}.`);
  return { seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: cpu, resident };
}

function rateRow(name: string, { seconds, cpuSeconds: cpu }: ImportRun): Row {
  const rows = licenses * 2;
  const micros = ((cpu / rows) * 1_000_000).toFixed(0);
  const ours = `${perSecond(rows / seconds)} rows (${micros} µs CPU each)`;
  return { name, ours, floor: '-', ratio: '-', target: '-', verdict: 'info' };
}

function memoryRow({ resident }: ImportRun): Row {
  const at = (share: number) => Math.round(resident[Math.floor((resident.length - 1) * share)] ?? 0);
  const peak = Math.round(Math.max(...resident));
  const ours = `${at(0.1)}, ${at(0.5)} and ${at(0.99)} MiB, at most ${peak} MiB`;
  const verdict = peak <= memoryTargetMib ? 'ok' : 'short';
  const target = `≤ ${memoryTargetMib} MiB`;
  return { name: 'its memory at 10, 50 and 100 %', ours, floor: '-', ratio: '-', target, verdict };
}
