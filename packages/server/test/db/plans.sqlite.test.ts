import { CompiledQuery, type Kysely, type RootOperationNode, type Transaction } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, TenantDb } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import { compileRead } from '../../src/db/prepared-queries.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { listKnownDevices } from '../../src/features/licensing/activations/queries.ts';
import { findFirstEnd, lockEnded } from '../../src/features/licensing/licenses/expiring-queries.ts';
import { findForValidation } from '../../src/features/licensing/validation/queries.ts';
import {
  countDeliveries,
  countRecoverableEvents,
  endWaitingDeliveries,
  listAttempts,
  listDeliveries,
  listRecoverableEvents,
  listWaitingEndpoints,
  lockDueDeliveries,
} from '../../src/features/webhooks/delivery/queries.ts';
import type { DeliveriesQuery } from '../../src/features/webhooks/delivery/schemas.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;
let db: Database<TenantTables>;

beforeAll(async () => {
  fresh = await freshDatabase();
  db = fresh.open<TenantTables>();
  await migrate(db, tenantMigrations);
});

afterAll(() => fresh.remove());

/** Returns SQLite's plan of the first query that `work` sends. */
async function planOf(work: (watched: Kysely<TenantTables>) => Promise<unknown>): Promise<string> {
  const nodes: RootOperationNode[] = [];
  const watched = db.query.withPlugin({
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await work(watched);
  const [node] = nodes;
  if (node === undefined) throw new Error('No query was sent.');
  const { sql, parameters } = db.query.getExecutor().compileQuery(node, { queryId: 'plan' });
  const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
  const { rows } = await db.query.executeQuery<{ detail: string }>(explained);
  return rows.map(({ detail }) => detail).join('\n');
}

const inTransaction = (watched: Kysely<TenantTables>) => watched as Transaction<TenantTables>;
const at = '2026-11-20T12:00:00.000000Z';
const claim = { webhookId: 'w', leaseId: 'l', leaseEnd: at, now: at, limit: 10 };
const range = { webhookId: 'w', since: at, until: at, types: null, productId: null };

test.each<[string, (watched: Kysely<TenantTables>) => Promise<unknown>, RegExp]>([
  ['a claim', (watched) => lockDueDeliveries(inTransaction(watched), claim), /webhook_deliveries_claimable/],
  [
    'the search for endpoints with due deliveries',
    (watched) => listWaitingEndpoints({ query: watched } as TenantDb),
    /webhook_deliveries_claimable/,
  ],
  [
    'ending the deliveries of a disabled endpoint',
    (watched) => endWaitingDeliveries(inTransaction(watched), { ...claim, reason: 'endpoint_disabled' }),
    /webhook_deliveries_claimable/,
  ],
  ['recovery', (watched) => listRecoverableEvents(inTransaction(watched), range, 10), /events_occurred_at_id/],
  [
    'the count of a recovery',
    (watched) => countRecoverableEvents({ query: watched } as TenantDb, range),
    /events_occurred_at_id/,
  ],
  [
    'the count of recent failures',
    (watched) => countDeliveries({ query: watched } as TenantDb, 'failed', at),
    /webhook_deliveries_status_created_at_id/,
  ],
  [
    'the last failures',
    (watched) => listDeliveries({ query: watched } as TenantDb, { status: 'failed', limit: 5 }),
    /webhook_deliveries_status_created_at_id/,
  ],
  [
    'the search for licenses that have expired',
    (watched) => lockEnded(inTransaction(watched), at, 10),
    /licenses_ending/,
  ],
  [
    'the search for the next expiry of a license',
    (watched) => findFirstEnd({ query: watched } as TenantDb),
    /licenses_ending/,
  ],
  [
    'the search for a device by its components',
    (watched) => listKnownDevices(watched, 'l', at),
    /activations_license_id_fingerprint_unique \(license_id=\?\)/,
  ],
  ['the attempts of a delivery', (watched) => listAttempts({ query: watched } as TenantDb, 'd'), /_delivery_id_at_id/],
])('%s reads from an index and does not sort', async (_what, work, index) => {
  const plan = await planOf(work);
  expect(plan).toMatch(index);
  expect(plan).not.toMatch(/SCAN (webhook_deliveries|events|delivery|licenses(?! USING INDEX))|TEMP B-TREE/);
});

const filters: DeliveriesQuery[] = [
  {},
  { webhook_id: 'w' },
  { status: 'failed' },
  { event_type: 'license.created' },
  { webhook_id: 'w', status: 'failed' },
  { webhook_id: 'w', event_type: 'license.created' },
];

test.each(filters)('the list of deliveries with %j follows an index', async (filter) => {
  const plan = await planOf((watched) => listDeliveries({ query: watched } as TenantDb, filter));
  expect(plan).toMatch(/USING INDEX webhook_deliveries_.*created_at_id/);
  expect(plan).not.toMatch(/TEMP B-TREE/);
});

test('seats are counted in the index of fingerprints, and the first lease is the first entry of an index', async () => {
  const { sql, bind } = compileRead('sqlite', db.query, findForValidation);
  const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...bind(['KEY', 'fingerprint', '2026-11-20'])]);
  const { rows } = await db.query.executeQuery<{ detail: string }>(explained);
  const plan = rows.map(({ detail }) => detail);
  expect(plan.filter((detail) => detail.startsWith('SCAN'))).toEqual(['SCAN settings']);
  const counted = plan.filter((detail) => detail.startsWith('SEARCH counted'));
  expect(counted[0]).toContain('activations_license_id_fingerprint_unique (license_id=? AND fingerprint>?)');
  const leased = plan.filter((detail) => detail.startsWith('SEARCH leased'));
  expect(leased).toHaveLength(1);
  for (const detail of leased) expect(detail).toContain('activations_open_lease_expires_at');
});
