import { pino } from 'pino';
import { createSharedRateLimits } from '../packages/server/src/rate-limit/valkey/shared-rate-limits.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { newValkeyDatabase, startValkey } from '../packages/server/test/support/valkey-server.ts';
import { type Contestant, compare, isQuick } from './measure.ts';
import { type ServerProcess, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  raiseCeilings,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

/** Compares `validate` with rate limits in Valkey to the same service with limits in memory. */
export async function benchmarkValkey(): Promise<Row[]> {
  const [postgres, valkey] = [await startPostgres(), await startValkey()];
  try {
    const [embedded, onPostgres] = [
      await compareWithMemory(valkey.url, undefined),
      await compareWithMemory(valkey.url, postgres.url),
    ];
    return [
      ...(await measureHits(await newValkeyDatabase(valkey.url))),
      comparisonRow('validate, embedded, limits in Valkey against memory', embedded, null),
      comparisonRow('validate, PostgreSQL, limits in Valkey against memory', onPostgres, null),
    ];
  } finally {
    await Promise.all([postgres.stop(), valkey.stop()]);
  }
}

/** Measures CPU time and latency of counting hits in Valkey, without the request around it. */
async function measureHits(url: string): Promise<Row[]> {
  const clock = { nowMs: () => Date.now() };
  const metrics = { countOwnHit: () => undefined, countOutage: () => undefined, watchStore: () => undefined };
  const limits = createSharedRateLimits({ url, clock, metrics, logger: pino({ level: 'warn' }) });
  await limits.open();
  const window = { limit: Number.MAX_SAFE_INTEGER, windowSeconds: 60 };
  const rows: Row[] = [];
  for (const atOnce of [1, 50]) {
    let left = isQuick ? 1000 : 50_000;
    const hits = left;
    const consume = async () => {
      for (; left > 0; left -= 1) await limits.consume('bench', 'tenant', window);
    };
    const [startedAt, before] = [performance.now(), process.cpuUsage()];
    await Promise.all(Array.from({ length: atOnce }, consume));
    const { user, system } = process.cpuUsage(before);
    const latencyMs = ((performance.now() - startedAt) / hits) * atOnce;
    const ours = `${((user + system) / hits).toFixed(1)} µs CPU, ${latencyMs.toFixed(2)} ms`;
    const name = `a hit counted in Valkey, ${atOnce} at once`;
    rows.push({ name, ours, floor: '-', ratio: '-', target: '-', verdict: 'info' });
  }
  await limits.close();
  return rows;
}

async function compareWithMemory(valkeyUrl: string, databaseUrl: string | undefined) {
  const shared = await prepare(databaseUrl);
  // An embedded site has one serving process; on PostgreSQL both are nodes of the same site.
  const alone = databaseUrl === undefined ? await prepare(undefined) : shared;
  const ours = await startService(shared.site, { VALKEY_URL: await newValkeyDatabase(valkeyUrl) });
  const floor = await startService(alone.site, {});
  try {
    await raiseCeilings(ours.port, [shared.applicant.tenantId]);
    if (alone !== shared) await raiseCeilings(floor.port, [alone.applicant.tenantId]);
    return await compare(contestant(ours, shared.applicant), contestant(floor, alone.applicant));
  } finally {
    await Promise.all([ours.stop(), floor.stop()]);
    await Promise.all([shared.site.remove(), alone.site.remove()]);
  }
}

async function prepare(databaseUrl: string | undefined) {
  const site = await createSite(databaseUrl);
  const applicant = await withSite(site, async (services) => {
    await createAdmin(services);
    return await createApplicant(services, 'Acme');
  });
  return { site, applicant };
}

function contestant(server: ServerProcess, applicant: Applicant): Contestant {
  return { server, requests: [validateRequest(server.port, applicant)] };
}
