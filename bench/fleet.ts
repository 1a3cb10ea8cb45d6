import { inParallel } from '../packages/server/src/lib/in-parallel.ts';
import { isQuick } from './measure.ts';
import { cpuSeconds, openFiles, residentKib, startService } from './processes.ts';
import { createApplicant, createSite, fetchVerdict, withSite } from './site.ts';
import type { Row } from './table.ts';
import { copyApplicant } from './tenant-copies.ts';

const tenantCount = isQuick ? 200 : 10_000;
const rounds = 2;
const connections = 32;
const residentTargetMib = 1024;

/** Measures the memory of one process that serves 10,000 tenants, after one validation for each. */
export async function benchmarkFleet(): Promise<Row[]> {
  const site = await createSite();
  try {
    const original = await withSite(site, (services) => createApplicant(services, 'Original'));
    const applicants = await withSite(site, (services) => copyApplicant(services, original, tenantCount));
    const service = await startService(site, { TENANT_POOL_SIZE: '' });
    const atFirstMib = residentMib(service.pid);
    let worstMib = atFirstMib;
    const cpuBefore = cpuSeconds(service.pid);
    for (let round = 0; round < rounds; round += 1) {
      await inParallel(applicants, connections, async (applicant) => {
        await fetchVerdict(service.port, applicant);
        worstMib = Math.max(worstMib, residentMib(service.pid));
      });
    }
    const cpuMs = ((cpuSeconds(service.pid) - cpuBefore) * 1000) / (rounds * tenantCount);
    const files = openFiles(service.pid);
    await service.stop();
    const name = `${tenantCount.toLocaleString('en')} tenants, each validated ${rounds} times`;
    return [
      {
        ...{ name: `memory of one process, ${name}`, ours: `${worstMib} MiB, ${files} open files` },
        ...{ floor: `${atFirstMib} MiB at its start`, ratio: '-', target: `≤ ${residentTargetMib} MiB` },
        verdict: worstMib <= residentTargetMib ? 'ok' : 'short',
      },
      {
        ...{ name: 'CPU time of such a request, which opens its tenant', ours: `${cpuMs.toFixed(2)} ms` },
        ...{ floor: '-', ratio: '-', target: '-', verdict: 'info' },
      },
    ];
  } finally {
    await site.remove();
  }
}

function residentMib(pid: number): number {
  return Math.round(residentKib(pid) / 1024);
}
