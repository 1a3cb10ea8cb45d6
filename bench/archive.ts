import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fillTenant } from './bulk.ts';
import { activationCopies, licenseCopies } from './data.ts';
import { cpuSeconds } from './processes.ts';
import { createApplicant, createSite, readTemplates, type Site, withSite } from './site.ts';
import { perSecond, type Row } from './table.ts';

const licenses = process.env['BENCH_QUICK'] === '1' ? 10_000 : 300_000;
const rowsTarget = 50_000;
/** Limit of the resident memory in MiB. The program alone uses 170 MiB. */
const memoryTargetMib = 400;
const lookEveryMs = 50;
const mainFile = join(import.meta.dirname, '..', 'packages', 'server', 'src', 'main.ts');

/** Measures `tenants export` and `tenants import` of an embedded tenant with many licenses, each in its own process. */
export async function benchmarkArchive(): Promise<Row[]> {
  const source = await createSite();
  const target = await createSite();
  try {
    const { tenantId, rows } = await createTenantOfMany(source, licenses);
    const file = join(source.dataDir, 'tenant.ndjson.gz');
    const exported = await runCommand(source, ['tenants', 'export', tenantId, '--to', file]);
    const imported = await runCommand(target, ['tenants', 'import', file]);
    const mib = (statSync(file).size / 2 ** 20).toFixed(1);
    return [
      rateRow(`export ${rows.toLocaleString('en')} rows to an archive (${mib} MiB), embedded`, rows, exported),
      rateRow('import them into a new tenant, checked first, embedded', rows, imported),
      memoryRow('peak memory of the export', exported),
      memoryRow('peak memory of the import', imported),
    ];
  } finally {
    await source.remove();
    await target.remove();
  }
}

/**
 * Creates a tenant with `licenses` licenses, an activation of each, and their search terms. Returns the number of rows.
 */
export async function createTenantOfMany(
  site: Site,
  licenses: number,
): Promise<{ readonly tenantId: string; readonly rows: number }> {
  const { tenantId, license, activation } = await withSite(site, async (services) => {
    const applicant = await createApplicant(services, 'Many');
    return { ...applicant, ...(await readTemplates(services, applicant)) };
  });
  const terms = `insert into search_terms (term, created_at, owner_id)
    select 'license:' || lower(substr(key, 1, 20)), created_at, id from licenses where true on conflict do nothing`;
  await fillTenant(site, tenantId, [
    licenseCopies(license, licenses),
    activationCopies(activation, licenses, 1),
    terms,
  ]);
  return { tenantId, rows: licenses * 3 };
}

interface CommandRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

/** Runs a command and measures it, including its start. */
async function runCommand(site: Site, args: readonly string[]): Promise<CommandRun> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { ...process.env, ...site.env },
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  let peakMib = 0;
  let cpu = 0;
  while (child.exitCode === null) {
    peakMib = Math.max(peakMib, peakResidentMib(Number(child.pid)));
    cpu = Math.max(cpu, cpuSecondsSoFar(Number(child.pid)));
    await Promise.race([ended, delay(lookEveryMs)]);
  }
  if (child.exitCode !== 0) throw new Error(`licensing ${args.join(' ')} exited with ${child.exitCode}.`);
  return { seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: cpu, peakMib };
}

/** Returns the peak resident memory from proc(5) (`VmHWM`), or 0 once the process has ended. */
function peakResidentMib(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Returns 0 once the process has ended. */
function cpuSecondsSoFar(pid: number): number {
  try {
    return cpuSeconds(pid);
  } catch {
    return 0;
  }
}

function rateRow(name: string, rows: number, { seconds, cpuSeconds: cpu }: CommandRun): Row {
  const rate = rows / seconds;
  const verdict = rate >= rowsTarget ? 'ok' : 'short';
  const micros = ((cpu / rows) * 1_000_000).toFixed(1);
  const ours = `${perSecond(rate)} (${micros} µs CPU each)`;
  return { name, ours, floor: '-', ratio: '-', target: `≥ ${perSecond(rowsTarget)}`, verdict };
}

function memoryRow(name: string, { peakMib }: CommandRun): Row {
  const verdict = peakMib <= memoryTargetMib ? 'ok' : 'short';
  const target = `≤ ${memoryTargetMib} MiB`;
  return { name, ours: `${Math.round(peakMib)} MiB`, floor: '-', ratio: '-', target, verdict };
}
