import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { TenantDb } from '../../src/db/database.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { tenantFile } from '../../src/tenancy/placement.ts';
import { useTenant } from '../support/accounts.ts';
import { withClient } from '../support/clients.ts';
import { engine, useClock } from '../support/harness.ts';
import { created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';
import type { OtherWrite } from './other-writer.ts';

// The service keeps verdicts, and a change of one license discards only those of this license. Here the licenses of a
// tenant change in turn, by every kind of writer, and the verdicts on all of them are compared with signed ones, which are
// never kept.

const start = '2026-11-20T12:00:00.000Z';
const clock = useClock(start);
const suite = useTenant();
/** Another process of the service, which writes to the same databases. */
let writer: ChildProcess;

beforeAll(async () => {
  await suite.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${suite.tenant.id}`,
    headers: suite.admin.auth,
    payload: { limits: { integration_requests_per_minute: 1_000_000 } },
  });
  await defineEntitlements(suite.tenant, { export: 'boolean', renders: 'metered' });
  writer = fork(new URL('./other-writer.ts', import.meta.url));
  await send(suite.app.config);
});

afterAll(async () => {
  writer.disconnect();
  await once(writer, 'exit');
});

async function send(message: Config | OtherWrite): Promise<void> {
  const done = once(writer, 'message');
  writer.send(message);
  await done;
}

interface Subject {
  readonly id: string;
  readonly key: string;
}

type Query = Kysely<TenantTables>;

/** Changes of one license that a verdict shows, with the query builder. Each can be undone by another one. */
const changes: Readonly<Record<string, (query: Query, id: string) => { compile(): ReturnType<Compiled> }>> = {
  suspend: (query, id) => query.updateTable('licenses').set({ status: 'suspended' }).where('id', '=', id),
  reinstate: (query, id) => query.updateTable('licenses').set({ status: 'active' }).where('id', '=', id),
  expire: (query, id) =>
    query
      .updateTable('licenses')
      .set({ expires_at: atSecond(10) })
      .where('id', '=', id),
  prolong: (query, id) => query.updateTable('licenses').set({ expires_at: null }).where('id', '=', id),
  rename: (query, id) =>
    query
      .updateTable('licenses')
      .set({ holder_name: sql<string>`coalesce(holder_name, '') || '+'` })
      .where('id', '=', id),
  release: (query, id) =>
    query
      .updateTable('activations')
      .set({ released_at: atSecond(0), release_reason: 'deactivated' })
      .where('license_id', '=', id),
  // The latest one: a heartbeat after a release has made another activation of the same device.
  hold: (query, id) =>
    query
      .updateTable('activations')
      .set({ released_at: null, release_reason: null })
      .where('license_id', '=', id)
      .where('id', '=', (eb) =>
        eb
          .selectFrom('activations')
          .select(({ fn }) => fn.max('id').as('id'))
          .where('license_id', '=', id)
          .where('fingerprint', '=', 'own'),
      ),
  'use up': (query, id) => query.updateTable('usage_totals').set({ quantity: 10 }).where('license_id', '=', id),
  'use nothing': (query, id) => query.deleteFrom('usage_totals').where('license_id', '=', id),
};
type Compiled = ReturnType<Query['selectFrom']>['compile'];

const atSecond = (second: number) => new Date(Date.parse(start) + second * 1000).toISOString().replace('Z', '000Z');

const inTenant = (work: (db: TenantDb) => Promise<unknown>) =>
  suite.app.services.tenants.withTenantDb(suite.tenant.id, work);

const compiled = (query: Query, change: string, { id }: Subject) => {
  const build = changes[change];
  if (build === undefined) throw new Error(`There is no change "${change}".`);
  return build(query, id).compile();
};

/** The change with its parameters written out, for writers that only take a text. */
const inline = (query: Query, change: string, license: Subject) => {
  const { sql: text, parameters } = compiled(query, change, license);
  const literal = (value: unknown) =>
    value === null ? 'null' : typeof value === 'number' ? String(value) : `'${String(value)}'`;
  let index = 0;
  return text.replace(/\$(\d+)|\?/g, (_place, number?: string) => {
    index += 1;
    return literal(parameters[Number(number ?? index) - 1]);
  });
};

/** Applies one change to each of the licenses. */
const writers = {
  'a statement': (change: string, licenses: readonly Subject[]) =>
    inTenant(async ({ query }) => {
      for (const license of licenses) await query.executeQuery(compiled(query, change, license));
    }),
  'a transaction': (change: string, licenses: readonly Subject[]) =>
    inTenant((db) =>
      db.transaction(async (tx) => {
        for (const license of licenses) await tx.executeQuery(compiled(tx, change, license));
      }),
    ),
  'a transaction in repeatable read': (change: string, licenses: readonly Subject[]) =>
    inTenant((db) =>
      db.transaction(async (tx) => {
        if (engine === 'postgres') await sql`set transaction isolation level repeatable read`.execute(tx);
        for (const license of licenses) await tx.executeQuery(compiled(tx, change, license));
      }),
    ),
  'a transaction that is rolled back': async (change: string, licenses: readonly Subject[]) => {
    const work = inTenant((db) =>
      db.transaction(async (tx) => {
        for (const license of licenses) await tx.executeQuery(compiled(tx, change, license));
        throw new Error('changed its mind');
      }),
    );
    await expect(work).rejects.toThrow('changed its mind');
  },
  'a transaction that undoes half of it': (change: string, [kept, ...undone]: readonly Subject[]) =>
    inTenant((db) =>
      db.transaction(async (tx) => {
        if (kept !== undefined) await tx.executeQuery(compiled(tx, change, kept));
        await sql`savepoint half`.execute(tx);
        for (const license of undone) await tx.executeQuery(compiled(tx, change, license));
        await sql`rollback to savepoint half`.execute(tx);
      }),
    ),
  'a bulk transaction': (change: string, licenses: readonly Subject[]) =>
    inTenant((db) =>
      db.bulkTransaction(async (tx) => {
        for (const license of licenses) await tx.executeQuery(compiled(tx, change, license));
      }),
    ),
  'another process': (change: string, licenses: readonly Subject[]) =>
    inTenant(async ({ query }) => {
      for (const license of licenses) {
        await send({ tenantId: suite.tenant.id, statement: inline(query, change, license) });
      }
    }),
  'a foreign program': (change: string, licenses: readonly Subject[]) =>
    inTenant(async ({ query }) => {
      await inForeignProgram(licenses.map((license) => inline(query, change, license)));
    }),
} as const;

/** Runs statements as `sqlite3` or `psql` does. */
async function inForeignProgram(statements: readonly string[]): Promise<void> {
  if (engine === 'sqlite') {
    const database = new DatabaseSync(tenantFile(suite.app.config.dataDir, suite.tenant.id), { timeout: 5_000 });
    for (const statement of statements) database.exec(statement);
    database.close();
    return;
  }
  const rows = suite.app.services.platform.query.selectFrom('tenants').select('database_name');
  const { database_name } = await rows.where('id', '=', suite.tenant.id).executeTakeFirstOrThrow();
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${database_name}` }).href;
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

const licensesCount = 4;
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      by: fc.constantFrom(...(Object.keys(writers) as (keyof typeof writers)[])),
      change: fc.constantFrom(...Object.keys(changes)),
      which: fc.subarray([...Array(licensesCount).keys()], { minLength: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      report: fc.constantFrom('heartbeat' as const, 'usage' as const),
      which: fc.subarray([...Array(licensesCount).keys()], { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ second: fc.integer({ min: 9, max: 11 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function newSubject(): Promise<Subject> {
  const license = await newLicense(suite.tenant, {
    max_activations: 5,
    require_activation: true,
    entitlements: [{ code: 'export' }, { code: 'renders', limit: 10, reset: 'day' }],
  });
  created(await suite.tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'own' }));
  await report(license, 'usage');
  return license;
}

async function report({ key }: Subject, what: 'heartbeat' | 'usage'): Promise<void> {
  if (what === 'heartbeat') await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'own' });
  else
    await suite.tenant.asApplication(`/licenses/${key}/usage`, { events: [{ entitlement: 'renders', quantity: 1 }] });
}

async function take(all: readonly Subject[], next: Step): Promise<void> {
  if ('second' in next) {
    clock.set(new Date(Date.parse(start) + next.second * 1000 + 1).toISOString());
    return;
  }
  const licenses = all.filter((_license, index) => next.which.includes(index));
  if ('report' in next) await Promise.all(licenses.map((license) => report(license, next.report)));
  else await writers[next.by](next.change, licenses);
}

/** Returns the verdict without what differs between two equal verdicts. */
async function ask({ key }: Subject, proof: boolean) {
  const question = { fingerprint: 'own', nonce: '0123456789abcdef', proof };
  const { body } = await suite.tenant.asApplication(`/licenses/${key}/validate`, question);
  const { checked_at: _at, proof: _proof, license, ...verdict } = body.data;
  const { last_validated_at: _validatedAt, ...shown } = license;
  return { ...verdict, license: shown };
}

test('a change of some licenses shows in their next verdicts, and leaves those of the others', async () => {
  const scenario = fc.array(step, { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(scenario, async (steps) => {
      clock.set(start);
      const licenses = await Promise.all(Array.from({ length: licensesCount }, newSubject));
      let second = 0;
      for (const taken of steps) {
        if ('second' in taken) second = Math.max(second, taken.second);
        await take(licenses, 'second' in taken ? { second } : taken);
        for (const license of licenses) {
          const verdict = await ask(license, false);
          expect(verdict, `after ${JSON.stringify(taken)}`).toEqual(await ask(license, true));
        }
      }
    }),
    { numRuns: 20 },
  );
});

test('a verdict that was read while its license changed is not kept', async () => {
  clock.set(start);
  const license = await newSubject();
  for (let round = 0; round < 20; round += 1) {
    const change = round % 2 === 0 ? 'suspend' : 'reinstate';
    const asked = Array.from({ length: 8 }, () => ask(license, false));
    await writers['a statement'](change, [license]);
    const after = await ask(license, false);
    expect(after.code).toBe(change === 'suspend' ? 'LICENSE.SUSPENDED' : 'LICENSE.VALID');
    await Promise.all(asked);
    expect((await ask(license, false)).code).toBe(after.code);
  }
});
