import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { type Answer, engine } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';

// A change or an erasure of a customer works in transactions of 50 licenses.

const suite = useTenant();
const licenses = 160;
const name = 'Ada Byron-King';

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer> =>
  suite.tenant.asOwner(method, path, payload);

interface Customer {
  readonly email: string;
  readonly policyId: string;
  /** In the order in which they are changed. */
  readonly ids: readonly string[];
}

/** Imports the licenses of a new customer, the second of them with a device. */
async function newCustomer(): Promise<Customer> {
  const email = `${randomUUID()}@example.com`;
  const { id: policyId } = await newPolicy(suite.tenant);
  const rows = Array.from({ length: licenses }, (_, index) => `${email}-${index},${policyId},${name},${email}`);
  const imported = await suite.app.request({
    method: 'POST',
    url: '/api/v1/tenant/licenses/import',
    headers: { ...suite.tenant.owner.auth, 'content-type': 'text/csv' },
    payload: ['key,policy_id,holder_name,holder_email', ...rows, '']
      .join('\n')
      .replaceAll(`${email}-`, `K-${policyId}-`),
  });
  if (imported.status !== 200) throw new Error(imported.text);
  const ids = await withDb(async ({ query }) => {
    const all = query.selectFrom('licenses').select('id').where('holder_email', '=', email);
    return (await all.orderBy('created_at').orderBy('id').execute()).map(({ id }) => id);
  });
  const device = { fingerprint: 'engine', name: `${name}'s engine`, hostname: `${email}.local` };
  created(await suite.tenant.asApplication(`/licenses/K-${policyId}-1/activations`, device));
  return { email, policyId, ids };
}

type Work<Result> = Parameters<typeof suite.app.services.tenants.withTenantDb<Result>>[1];

function withDb<Result>(work: Work<Result>): Promise<Result> {
  return suite.app.services.tenants.withTenantDb(suite.tenant.id, work);
}

/** Counts the licenses of an address. */
async function countOf(email: string): Promise<number> {
  const { status, body } = await send('GET', `/customers/${email}`);
  return status === 200 ? body.data.licenses_count : 0;
}

/** Returns the numbers of audit records with this event, one number for each of the licenses. */
function recordsOf(ids: readonly string[], event: string): Promise<number[]> {
  return withDb(async ({ query }) => {
    const rows = await query.selectFrom('audit_logs').select('resource_id').where('event', '=', event).execute();
    return ids.map((id) => rows.filter(({ resource_id }) => resource_id === id).length);
  });
}

/** Returns the changes in the records of erasures that name no earlier erasure. */
async function erasures(): Promise<object[]> {
  const { body } = await send('GET', '/audit-logs?event=CUSTOMER.ERASED&limit=100');
  return body.data.map(({ changes }: { changes: object[] }) => changes[0]);
}

/** Makes the storage refuse each change of a license, as if the process ended there. Returns a function that ends it. */
async function refuseChangesOf(id: string): Promise<() => Promise<void>> {
  const run = (...statements: string[]) =>
    withDb(async ({ query }) => {
      for (const statement of statements) await sql.raw(statement).execute(query);
    });
  const when = `before update on licenses for each row when (old.id = '${id}')`;
  if (engine === 'sqlite') {
    await run(`create trigger stopped ${when} begin select raise(abort, 'stopped'); end`);
    return () => run('drop trigger stopped');
  }
  await run(
    `create function stop() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$`,
    `create trigger stopped ${when} execute function stop()`,
  );
  return () => run('drop trigger stopped on licenses', 'drop function stop()');
}

const issue = ({ email, policyId }: Customer, fields: object = {}) =>
  send('POST', '/licenses', { policy_id: policyId, holder: { email, name }, ...fields });

test('a change of a customer with many licenses reaches each once, and one that it gets meanwhile', async () => {
  const customer = await newCustomer();
  await send('POST', `/customers/${customer.email}/notes`, { text: 'Prefers letters.' });
  const target = `${randomUUID()}@example.com`;
  const [changed, issued] = await Promise.all([
    send('PUT', `/customers/${customer.email}`, { email: target, name: 'Ada Lovelace' }),
    issue(customer),
  ]);
  expect([changed.status, issued.status]).toEqual([200, 201]);
  expect(changed.body.data).toMatchObject({ email: target, name: 'Ada Lovelace', licenses_count: licenses + 1 });
  expect(await countOf(customer.email)).toBe(0);
  expect((await send('GET', `/customers/${target}/notes`)).body.data).toHaveLength(1);
  const ids = [...customer.ids, issued.body.data.id];
  expect(await recordsOf(ids, 'LICENSE.UPDATED')).toEqual(ids.map(() => 1));
  const renamed = await send('PUT', `/customers/${target}`, { name: 'Countess of Lovelace' });
  expect([renamed.status, renamed.body.data.name]).toEqual([200, 'Countess of Lovelace']);
  expect(await recordsOf(ids, 'LICENSE.UPDATED')).toEqual(ids.map(() => 2));
});

test('a change of a customer that was interrupted is completed when it is repeated', async () => {
  const { email, ids } = await newCustomer();
  const target = `${randomUUID()}@example.com`;
  const permit = await refuseChangesOf(ids.at(-1) ?? '');
  expect((await send('PUT', `/customers/${email}`, { email: target })).status).toBeGreaterThanOrEqual(500);
  await permit();
  const changed = await countOf(target);
  expect(changed).toBeGreaterThan(0);
  expect(await countOf(email)).toBe(licenses - changed);
  expect((await send('PUT', `/customers/${email}`, { email: target })).body.data.licenses_count).toBe(licenses);
  expect(await recordsOf(ids, 'LICENSE.UPDATED')).toEqual(ids.map(() => 1));
});

test('an erasure of a customer with many licenses is recorded once, with a license that it gets meanwhile', async () => {
  const customer = await newCustomer();
  const before = (await erasures()).length;
  const [erased, issued] = await Promise.all([send('DELETE', `/customers/${customer.email}`), issue(customer)]);
  expect([erased.status, issued.status]).toEqual([200, 201]);
  const [record, ...others] = await erasures();
  expect([record, others.length]).toEqual([{ field: 'licenses_count', old: licenses + 1, new: 0 }, before]);
  const ids = [...customer.ids, issued.body.data.id];
  expect(await recordsOf(ids, 'LICENSE.HOLDER_ERASED')).toEqual(ids.map(() => 1));
  expect((await send('DELETE', `/customers/${customer.email}`)).status).toBe(404);
  expect(await everythingStored(suite.app, suite.tenant.id)).not.toContain(customer.email);
});

test('an erasure that was interrupted is completed when it is repeated, and leaves no trace', async () => {
  const { email, ids } = await newCustomer();
  await send('POST', `/customers/${email}/notes`, { text: `Write to ${email}.` });
  const [{ length: before }, permit] = [await erasures(), await refuseChangesOf(ids.at(-1) ?? '')];
  expect((await send('DELETE', `/customers/${email}`)).status).toBeGreaterThanOrEqual(500);
  await permit();
  const left = await countOf(email);
  expect(left).toBeLessThan(licenses);
  expect(left).toBeGreaterThan(0);
  expect(await erasures()).toHaveLength(before);
  expect((await send('DELETE', `/customers/${email}`)).status).toBe(200);
  const [record, ...others] = await erasures();
  expect([record, others.length]).toEqual([{ field: 'licenses_count', old: left, new: 0 }, before]);
  expect(await recordsOf(ids, 'LICENSE.HOLDER_ERASED')).toEqual(ids.map(() => 1));
  expect(await everythingStored(suite.app, suite.tenant.id)).not.toContain(email);
});
