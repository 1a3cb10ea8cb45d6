import fc from 'fast-check';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../../../src/db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../src/db/errors.ts';
import type { TenantTables } from '../../../src/db/tables/tenant-tables.ts';

// Random changes of a tenant's database: few keys and few unique values, so that keys are deleted and used again,
// unique values move between rows, rows change the row that they reference, and deletions cascade.

/** One change: its kind, two numbers that choose rows and values, and whether its transaction is rolled back. */
export type Change = readonly [keyof typeof changes, number, number, boolean];

type Tx = Transaction<TenantTables>;

const at = '2026-11-20T12:00:00.000000Z';
const texts = ['', 'Ünï 👩‍💻', '"quoted", \\ and \n', '["a", 1]', 'x'.repeat(20_000)];
const text = (index: number) => texts[index % texts.length] ?? '';
const huge = 2n ** 53n + 1n;

/** SQL that both engines accept. Unique and foreign keys refuse some of it. */
const changes = {
  putProduct: (tx: Tx, one: number, other: number) =>
    sql`insert into products (id, code, name, description, platforms_json, metadata_json, created_at, updated_at)
      values (${`p${one}`}, ${`c${other}`}, ${text(other)}, ${other % 2 ? null : text(one)}, '[]', '{}', ${at}, ${at})
      on conflict (id) do update set code = excluded.code, name = excluded.name, description = excluded.description`.execute(
      tx,
    ),
  swapProducts: async (tx: Tx, one: number, other: number) => {
    const codeOf = async (id: string) =>
      (await tx.selectFrom('products').select('code').where('id', '=', id).executeTakeFirst())?.code;
    const [mine, its] = [await codeOf(`p${one}`), await codeOf(`p${other}`)];
    if (mine === undefined || its === undefined || one === other) return;
    const set = (id: string, code: string) => tx.updateTable('products').set({ code }).where('id', '=', id).execute();
    await set(`p${one}`, 'between');
    await set(`p${other}`, mine);
    await set(`p${one}`, its);
  },
  renameProductKey: (tx: Tx, one: number, other: number) =>
    sql`update products set id = ${`p${other}`} where id = ${`p${one}`}`.execute(tx),
  deleteProduct: (tx: Tx, one: number) => sql`delete from products where id = ${`p${one}`}`.execute(tx),
  putEntitlement: (tx: Tx, one: number, other: number) =>
    sql`insert into entitlements (id, code, name, type, created_at, updated_at)
      values (${`e${one}`}, ${`c${other}`}, ${text(other)}, 'boolean', ${at}, ${at})
      on conflict (id) do update set code = excluded.code`.execute(tx),
  deleteEntitlement: (tx: Tx, one: number) => sql`delete from entitlements where id = ${`e${one}`}`.execute(tx),
  refer: (tx: Tx, one: number, other: number) =>
    sql`insert into entitlement_references (owner_id, entitlement_id) values (${`o${one}`}, ${`e${other}`})`.execute(
      tx,
    ),
  referToAnother: (tx: Tx, one: number, other: number) =>
    sql`update entitlement_references set entitlement_id = ${`e${other}`} where owner_id = ${`o${one}`}`.execute(tx),
  stopReferring: (tx: Tx, one: number) =>
    sql`delete from entitlement_references where owner_id = ${`o${one}`}`.execute(tx),
  deliver: async (tx: Tx, one: number, other: number) => {
    await sql`insert into webhook_endpoints (id, url, events_json, status, sealed_secrets, failed_deliveries, created_at, updated_at)
      values ('w', 'https://example.com', '[]', 'enabled', '', 0, ${at}, ${at}) on conflict (id) do nothing`.execute(
      tx,
    );
    await sql`insert into events (id, type, occurred_at, data_json) values (${`v${one}`}, 'license.created', ${at}, ${text(one)})
      on conflict (id) do nothing`.execute(tx);
    await sql`insert into webhook_deliveries (id, webhook_id, event_id, event_type, status, scheduled_attempts, next_trigger, created_at)
      values (${`d${one}`}, 'w', ${`v${one}`}, 'license.created', 'pending', ${other}, 'schedule', ${at})
      on conflict (id) do update set scheduled_attempts = excluded.scheduled_attempts`.execute(tx);
    await sql`insert into webhook_attempts (id, delivery_id, at, trigger, duration_ms, response_body)
      values (${`a${one}-${other}`}, ${`d${one}`}, ${at}, 'schedule', ${other}, ${text(other)}) on conflict (id) do nothing`.execute(
      tx,
    );
  },
  forgetDelivery: (tx: Tx, one: number) => sql`delete from webhook_deliveries where id = ${`d${one}`}`.execute(tx),
  notify: (tx: Tx, one: number, other: number) =>
    sql`insert into notifications (id, type, severity, title, body, occurrence, created_at)
      values (${`n${one}`}, 't', 'info', ${text(other)}, ${text(one)}, ${other % 2 ? null : `c${other}`}, ${at})
      on conflict (id) do update set occurrence = excluded.occurrence, body = excluded.body`.execute(tx),
  index: (tx: Tx, one: number, other: number) =>
    sql`insert into search_terms (term, created_at, owner_id) values (${`t${one}${text(other % 4)}`}, ${at}, ${`p${other}`})
      on conflict do nothing`.execute(tx),
  forgetTerms: (tx: Tx, one: number) => sql`delete from search_terms where owner_id = ${`p${one}`}`.execute(tx),
  count: (tx: Tx, one: number, other: number) =>
    sql`insert into plan_use (resource, used) values (${`r${one}`}, ${huge + BigInt(other)})
      on conflict (resource) do update set used = plan_use.used + 1`.execute(tx),
  replaceMany: async (tx: Tx, one: number, other: number) => {
    await sql`delete from search_terms where owner_id = 'many'`.execute(tx);
    const terms = Array.from({ length: 1_200 }, (_, index) => ({
      term: `m${one}-${index}`,
      created_at: at,
      owner_id: 'many',
    }));
    if (other % 2 === 0) await tx.insertInto('search_terms').values(terms).execute();
  },
};

const few = fc.integer({ min: 0, max: 4 });
const kinds = fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[]));

/** Between 60 and 150 random changes. */
export const randomChanges: fc.Arbitrary<Change[]> = fc.array(
  fc.tuple(
    kinds,
    few,
    few,
    fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  ),
  { minLength: 60, maxLength: 150 },
);

class RolledBack extends Error {}

/** Makes a change in a transaction of its own. Does nothing if a constraint refuses the change. */
export async function makeChange(database: Database<TenantTables>, [kind, one, other, isRolledBack]: Change) {
  try {
    await database.transaction(async (tx) => {
      await changes[kind](tx, one, other);
      if (isRolledBack) throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack || isUniqueViolation(error) || isForeignKeyViolation(error))) throw error;
  }
}
