import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { type Contestant, median, runRound } from './measure.ts';
import { openFiles, residentKib, type ServerProcess, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  raiseCeilings,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { perSecond, type Row, times } from './table.ts';

const tenantCount = 2000;
const timedCreations = 200;
const memoryTargetKib = 300;
const creationTargetMs = 30;
const rounds = 4;

/** Measures the creation of a tenant, and the load of requests for 2,000 tenants in round-robin order. */
export async function benchmarkTenants(): Promise<Row[]> {
  const site = await createSite();
  try {
    const { applicants, creationMs } = await withSite(site, async (services) => {
      await createAdmin(services);
      const creationsMs: number[] = [];
      for (let index = 0; index < timedCreations; index += 1) {
        const startedAt = performance.now();
        await createTenant(services, systemActor, { name: `Timed ${index}` });
        creationsMs.push(performance.now() - startedAt);
      }
      const made: Applicant[] = [];
      for (let index = 0; index < tenantCount; index += 1)
        made.push(await createApplicant(services, `Tenant ${index}`));
      return { applicants: made, creationMs: median(creationsMs) };
    });
    return [creationRow(creationMs), ...(await spread(site, applicants)), ...(await evicting(site, applicants))];
  } finally {
    await site.remove();
  }
}

function creationRow(creationMs: number): Row {
  const verdict = creationMs <= creationTargetMs ? 'ok' : 'short';
  const target = `≤ ${creationTargetMs} ms`;
  return {
    name: 'create a tenant, embedded',
    ours: `${creationMs.toFixed(1)} ms`,
    floor: '-',
    ratio: '-',
    target,
    verdict,
  };
}

/** Raises the ceiling of the tenant that receives all requests of a round; the others stay far below the default. */
async function start(site: Site, applicants: readonly Applicant[], poolSize: number): Promise<ServerProcess> {
  const service = await startService(site, { TENANT_POOL_SIZE: String(poolSize) });
  await raiseCeilings(
    service.port,
    applicants.slice(0, 1).map(({ tenantId }) => tenantId),
  );
  return service;
}

function contestant(server: ServerProcess, applicants: readonly Applicant[]): Contestant {
  return { server, requests: applicants.map((applicant) => validateRequest(server.port, applicant)) };
}

async function spread(site: Site, applicants: readonly Applicant[]): Promise<Row[]> {
  const service = await start(site, applicants, 2500);
  const one = contestant(service, applicants.slice(0, 1));
  const all = contestant(service, applicants);
  await runRound(one, 6000);
  const before = { kib: residentKib(service.pid), files: openFiles(service.pid) };
  await runRound(all, 4000);
  const after = { kib: residentKib(service.pid), files: openFiles(service.pid) };
  const pairs: { one: number; all: number }[] = [];
  for (let index = 0; index < rounds; index += 1) {
    pairs.push({ one: (await runRound(one)).perSecond, all: (await runRound(all)).perSecond });
  }
  await service.stop();
  const kibPerTenant = (after.kib - before.kib) / (applicants.length - 1);
  return [
    {
      name: 'memory per open tenant (2,000 open)',
      ours: `${kibPerTenant.toFixed(0)} KiB (${Math.round(after.kib / 1024)} MiB in all)`,
      floor: `${Math.round(before.kib / 1024)} MiB with 1`,
      ratio: '-',
      target: `≤ ${memoryTargetKib} KiB`,
      verdict: kibPerTenant <= memoryTargetKib ? 'ok' : 'short',
    },
    information('open files, 2,000 tenants', String(after.files), `${before.files} with 1`),
    throughputRow('validate over 2,000 tenants', pairs),
  ];
}

/** With the default pool every request of such a load closes one tenant and opens another: the worst case. */
async function evicting(site: Site, applicants: readonly Applicant[]): Promise<Row[]> {
  const service = await start(site, applicants, 500);
  const one = contestant(service, applicants.slice(0, 1));
  const all = contestant(service, applicants);
  await runRound(one, 4000);
  await runRound(all, 3000);
  const pairs: { one: number; all: number }[] = [];
  for (let index = 0; index < rounds; index += 1) {
    pairs.push({ one: (await runRound(one)).perSecond, all: (await runRound(all)).perSecond });
  }
  const resident = `${Math.round(residentKib(service.pid) / 1024)} MiB`;
  await service.stop();
  return [
    throughputRow('validate over 2,000 tenants, pool of 500', pairs),
    information('memory with a pool of 500', resident, '-'),
  ];
}

function information(name: string, ours: string, floor: string): Row {
  return { name, ours, floor, ratio: '-', target: '-', verdict: 'info' };
}

function throughputRow(name: string, pairs: readonly { one: number; all: number }[]): Row {
  const ours = perSecond(median(pairs.map(({ all }) => all)));
  const floor = `${perSecond(median(pairs.map(({ one }) => one)))} with 1`;
  const ratio = times(median(pairs.map(({ one, all }) => all / one)));
  return { ...information(name, ours, floor), ratio };
}
