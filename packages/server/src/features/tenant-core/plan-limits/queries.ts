import { type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PlatformTransaction, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { invitationLifetimeDays } from '../../../db/tables/platform/identity.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { CountedResource } from '../../../db/tables/tenant/administration.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';

/** Adds to the counter of a resource and returns the sum. The counter's row stays locked until the transaction ends. */
export async function addToUse(tx: TenantTransaction, resource: CountedResource, change: number): Promise<number> {
  // Raw SQL: every activation runs this statement, and building it with Kysely would cost more than running it.
  const { rows } = await sql<{ used: number }>`
    insert into plan_use (resource, used) values (${resource}, ${change})
    on conflict (resource) do update set used = plan_use.used + excluded.used returning used
  `.execute(tx);
  const [row] = rows;
  if (row === undefined)
    throw new Error('The upsert of a plan_use counter returned no row. Check the database for corruption.');
  return row.used;
}

/** Reads all counters of a tenant; a missing counter is 0. */
export async function readUse(db: Kysely<TenantTables>): Promise<Readonly<Record<CountedResource, number>>> {
  const use = { products: 0, licenses: 0, activations: 0, webhooks: 0 };
  for (const { resource, used } of await db.selectFrom('plan_use').selectAll().execute()) use[resource] = used;
  return use;
}

const one = sql<number>`1`.as('one');

/** Counts rows and stops at `most`. */
async function countUpTo<Tables, Table extends keyof Tables>(
  db: Kysely<Tables>,
  rows: SelectQueryBuilder<Tables, Table, { one: number }>,
  most: number,
): Promise<number> {
  if (most <= 0) return 0;
  const { count } = await (db as unknown as Kysely<object>)
    .selectFrom(rows.limit(most).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts activations that still use quota although their lease has ended, up to `most`. */
export function countEndedLeases(db: Kysely<TenantTables>, now: Timestamp, most: number): Promise<number> {
  const ended = db
    .selectFrom('activations')
    .select(one)
    .where('released_at', 'is', null)
    .where('lease_expires_at', 'is not', null)
    .where('lease_expires_at', '<=', now);
  return countUpTo(db, ended, most);
}

const rowsOf = (db: Kysely<TenantTables>) => ({
  products: db.selectFrom('products'),
  licenses: db.selectFrom('licenses').where('deleted_at', 'is', null),
  activations: db.selectFrom('activations').where('released_at', 'is', null),
  webhooks: db.selectFrom('webhook_endpoints').where('deleted_at', 'is', null),
});

/** Counts the rows of a resource without its counter; this takes 65 ns per row on the embedded engine. */
export async function countRows(db: Kysely<TenantTables>, resource: CountedResource): Promise<number> {
  const rows = rowsOf(db)[resource] as SelectQueryBuilder<TenantTables, 'products', object>;
  const { count } = await rows.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

/** Locks the counter of a resource until the transaction ends. */
export async function lockUse(tx: TenantTransaction, resource: CountedResource): Promise<void> {
  await forUpdate(tx, tx.selectFrom('plan_use').select('used').where('resource', '=', resource)).execute();
}

/** Overwrites the counter of a resource. */
export async function writeUse(tx: TenantTransaction, resource: CountedResource, used: number): Promise<void> {
  await tx
    .insertInto('plan_use')
    .values({ resource, used })
    .onConflict((conflict) => conflict.column('resource').doUpdateSet({ used }))
    .execute();
}

/** Reads a tenant's own limits and its plan code, and locks its row: concurrent callers wait for each other. */
export function lockLimits(
  tx: PlatformTransaction,
  tenantId: string,
): Promise<{ readonly limits_json: string; readonly plan_code: string } | undefined> {
  const query = tx.selectFrom('tenants').select(['limits_json', 'plan_code']).where('id', '=', tenantId);
  return forUpdate(tx, query).executeTakeFirst();
}

/** Returns the `limits_json` of a plan; throws if the plan does not exist. */
export async function findPlanLimits(tx: PlatformTransaction, planCode: string): Promise<string> {
  const query = tx.selectFrom('plans').select('limits_json').where('code', '=', planCode);
  return (await query.executeTakeFirstOrThrow()).limits_json;
}

// SQLite uses the partial index only if the condition is written exactly as in the index definition.
const isActive = sql<SqlBool>`status = 'active'`;

/** Counts a tenant's API keys that are neither revoked nor expired, up to `most`. */
export async function countApiKeys(
  db: Kysely<PlatformTables>,
  tenantId: string,
  now: Timestamp,
  most: number,
): Promise<number> {
  const active = db.selectFrom('api_keys').select(one).where(isActive).where('tenant_id', '=', tenantId);
  const unlimited = await countUpTo(db, active.where('expires_at', 'is', null), most);
  return unlimited + (await countUpTo(db, active.where('expires_at', '>', now), most - unlimited));
}

/** Counts a tenant's members and open invitations, up to `most`. */
export async function countMembers(
  db: Kysely<PlatformTables>,
  tenantId: string,
  now: Timestamp,
  most: number,
): Promise<number> {
  const joined = db.selectFrom('memberships').select(one).where('tenant_id', '=', tenantId);
  const invited = db
    .selectFrom('invitations')
    .select(one)
    .where('kind', '=', 'tenant')
    .where('tenant_id', '=', tenantId)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .where('created_at', '>', addDays(now, -invitationLifetimeDays));
  const members = await countUpTo(db, joined, most);
  return members + (await countUpTo(db, invited, most - members));
}
