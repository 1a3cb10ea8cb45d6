import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { insertRows } from '../../src/db/insert-rows.ts';
import { newId } from '../../src/lib/ids.ts';
import { type PlanWatch, watchPlans } from '../lists/query-plans.ts';
import { useTenant } from '../support/accounts.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { askPortal, logInHolder, openPortal } from './portal-data.ts';

const suite = useTenant();
const count = 10_000;

test('each page of a holder with 10,000 licenses is read from the index on the address', async () => {
  const { app, tenant } = suite;
  const handle = await openPortal(tenant);
  const license = await newLicense(tenant, {}, { holder: { email: 'ada@example.com' } });
  const token = await logInHolder(app, tenant, handle, license.id);
  const watch: PlanWatch = { rules: undefined, problems: [], statements: 0 };
  await app.services.tenants.withTenantDb(tenant.id, async (db) => {
    const row = await db.query
      .selectFrom('licenses')
      .selectAll()
      .where('id', '=', license.id)
      .executeTakeFirstOrThrow();
    const copies = (holder: (index: number) => string, length: number) =>
      Array.from({ length }, (_, index) => ({ ...row, id: newId(), key: newId(), holder_email: holder(index) }));
    await db.transaction(async (tx) => {
      await insertRows(
        tx,
        'licenses',
        copies((index) => (index % 2 === 0 ? 'Ada@Example.com' : 'ada@example.com'), count - 1),
      );
      await insertRows(
        tx,
        'licenses',
        copies((index) => `other-${index}@example.com`, 2 * count),
      );
    });
    watchPlans(db.query as unknown as Kysely<never>, watch);
  });
  watch.rules = { bigTables: new Set(['licenses']), scans: [] };
  const seen = new Set<string>();
  let cursor = '';
  do {
    const answer = await askPortal(app, handle, 'GET', `/licenses?limit=100${cursor}`, { token });
    expect(answer.status, answer.text).toBe(200);
    for (const { id } of answer.body.data) seen.add(id);
    const { next_cursor } = answer.body.meta;
    cursor = next_cursor === null ? '' : `&cursor=${next_cursor}`;
  } while (cursor !== '');
  expect(seen.size).toBe(count);
  expect(watch.statements).toBeGreaterThan(count / 100);
  expect(watch.problems).toEqual([]);
}, 120_000);
