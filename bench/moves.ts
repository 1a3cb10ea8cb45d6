import { moveTenant, removeFormer } from '../packages/server/src/features/accounts/tenants/move-service.ts';
import { silentProgress } from '../packages/server/src/tenancy/archive/progress.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { createTenantOfMany } from './archive.ts';
import { createSite, type Site, withSite } from './site.ts';
import type { Row } from './table.ts';

const licenses = process.env['BENCH_QUICK'] === '1' ? 10_000 : 100_000;
const rowsOfPause = 100_000;

/** Measures the pause of writes of a tenant that moves from a file to a server, to another server, and back. */
export async function benchmarkMoves(): Promise<Row[]> {
  const postgres = await startPostgres({ durable: true });
  const site = await createSite();
  try {
    const { tenantId } = await createTenantOfMany(site, licenses);
    const urls = [postgres.url, postgres.url.replace('127.0.0.1', 'localhost')];
    const [first = '', second = ''] = urls.map((url) => new URL(url).host);
    const served: Site = { ...site, env: { ...site.env, TENANT_DATABASE_URLS: urls.join(',') } };
    return await withSite(served, async (services) => {
      const rows: Row[] = [];
      for (const [name, place] of [
        ['from a file to PostgreSQL', first],
        ['from PostgreSQL to PostgreSQL', second],
        ['from PostgreSQL to a file', 'embedded'],
      ] as const) {
        const moved = await moveTenant(services, systemActor, tenantId, place, { progress: silentProgress });
        if (moved === undefined) throw new Error('The tenant was there already.');
        await removeFormer(services, moved.former, 0);
        rows.push(pauseRow(name, moved.rows, moved.pausedMs));
      }
      return rows;
    });
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

function pauseRow(name: string, rows: number, pausedMs: number): Row {
  const perPause = (pausedMs / 1000 / (rows / rowsOfPause)).toFixed(1);
  const none = { floor: '-', ratio: '-', target: '-', verdict: 'info' } as const;
  return {
    name: `pause of writes, ${rows.toLocaleString('en')} rows ${name}`,
    ours: `${(pausedMs / 1000).toFixed(1)} s (${perPause} s per 100,000)`,
    ...none,
  };
}
