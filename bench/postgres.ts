import { loadConfig } from '../packages/server/src/config/config.ts';
import { createTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { createKeyring } from '../packages/server/src/lib/keyring.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { findTenantRecord } from '../packages/server/src/tenancy/tenant-record.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { compare, median } from './measure.ts';
import { startFloor, startService } from './processes.ts';
import {
  createAdmin,
  createApplicant,
  createSite,
  fetchVerdict,
  raiseCeilings,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const createdTenants = 15;

/** Compares `validate` on PostgreSQL with two pipelined point reads of `pg` behind a bare route. */
export async function benchmarkPostgres(): Promise<Row[]> {
  const postgres = await startPostgres();
  const site = await createSite(postgres.url);
  try {
    const prepared = await withSite(site, async (services) => {
      await createAdmin(services);
      const applicant = await createApplicant(services, 'Acme');
      const record = await findTenantRecord(services.platform, applicant.tenantId);
      const creationsMs: number[] = [];
      for (let index = 0; index < createdTenants; index += 1) {
        const startedAt = performance.now();
        await createTenant(services, systemActor, { name: `Tenant ${index}` });
        creationsMs.push(performance.now() - startedAt);
      }
      return { applicant, databaseName: record?.database_name ?? '', creationMs: median(creationsMs) };
    });
    const { applicant, creationMs } = prepared;
    const service = await startService(site);
    await raiseCeilings(service.port, [applicant.tenantId]);
    const tenantUrl = new URL(postgres.url);
    tenantUrl.pathname = `/${prepared.databaseName}`;
    const floor = await startFloor('floor-postgres', {
      answer: await fetchVerdict(service.port, applicant),
      platformUrl: postgres.url,
      tenantUrl: tenantUrl.href,
      keyHash: createKeyring(loadConfig(site.env).appKey ?? '').hash(applicant.apiKey),
    });
    const comparison = await compare(
      { server: service, requests: [validateRequest(service.port, applicant)] },
      { server: floor, requests: [validateRequest(floor.port, applicant)] },
    );
    await Promise.all([service.stop(), floor.stop()]);
    const creation = { floor: '-', ratio: '-', target: '-', verdict: 'info' } as const;
    return [
      comparisonRow('validate, PostgreSQL', comparison, 0.5),
      { name: 'create a tenant, PostgreSQL', ours: `${creationMs.toFixed(1)} ms`, ...creation },
    ];
  } finally {
    await site.remove();
    await postgres.stop();
  }
}
