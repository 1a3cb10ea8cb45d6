import { expect, test } from 'vitest';
import { adminRoleNames } from '../../src/http/routes/admin-roles.ts';
import { addTenantRow } from '../accounts/people.ts';
import { createAdmin, useTenant } from '../support/accounts.ts';
import { badFields, newLicense } from '../support/licensing-catalog.ts';

const suite = useTenant();

const lookUp = (key: string, after?: string, auth = suite.admin.auth) => {
  const query = new URLSearchParams({ key, ...(after !== undefined && { after }) });
  return suite.app.request({ method: 'GET', url: `/api/v1/admin/licenses?${query}`, headers: auth });
};
const foundBy = async (key: string) => (await lookUp(key)).body.data;

/** Returns the platform's records of lookups, oldest first. */
const records = () =>
  suite.app.services.platform.query
    .selectFrom('audit_logs')
    .select(['actor_id', 'changes_json'])
    .where('event', '=', 'LICENSE.LOOKED_UP')
    .orderBy('id')
    .execute();

test('a key and its end find the license of any tenant, with what stopped it, and each search is recorded', async () => {
  const other = await suite.newTenant('Other');
  const license = await newLicense(other);
  await newLicense(suite.tenant);
  const before = (await records()).length;
  const found = {
    licenses: [{ id: license.id, status: 'active', tenant: { id: other.id, name: 'Other', status: 'active' } }],
    searched: 2,
    tenants: 2,
    unreachable: [],
    next: null,
  };
  expect(await foundBy(license.key)).toEqual(found);
  expect(await foundBy(` ${license.key.toLowerCase()} `)).toEqual(found);
  expect(await foundBy(license.key.slice(-7))).toEqual(found);
  expect(await foundBy(license.key.slice(-7).replace('-', ' ').toLowerCase())).toEqual(found);
  await other.asOwner('POST', `/licenses/${license.id}/suspend`);
  await suite.asAdmin('PATCH', `/tenants/${other.id}`, { status: 'suspended' });
  const stopped = { status: 'suspended', tenant: { id: other.id, name: 'Other', status: 'suspended' } };
  expect((await foundBy(license.key)).licenses).toMatchObject([stopped]);
  const made = (await records()).slice(before);
  expect(made).toHaveLength(5);
  expect(made[0]?.actor_id).toBe(suite.admin.id);
  expect(JSON.parse(made[0]?.changes_json ?? '')).toEqual([
    { field: 'key', old: null, new: `…${license.key.slice(-4)}` },
    { field: 'licenses', old: null, new: [license.id] },
  ]);
  expect(JSON.stringify(made)).not.toContain(license.key);
});

test('a wrong key, the beginning of a key and a deleted license find nothing, and a short end is refused', async () => {
  const { id, key } = await newLicense(suite.tenant);
  for (const wrong of [`${key}X`, key.slice(0, 12), 'AAAA-AAAA', "' or 1=1 -- aaaaaa", '%%%%aaaaaa']) {
    const { status, body } = await lookUp(wrong);
    expect([status, body.data.licenses], wrong).toEqual([200, []]);
  }
  await suite.tenant.asOwner('DELETE', `/licenses/${id}`);
  expect((await foundBy(key)).licenses).toEqual([]);
  for (const short of ['', 'abcde', 'a-b-c-d-e', '------']) {
    const answer = await lookUp(short);
    expect([answer.status, badFields(answer)], short).toEqual([422, ['key']]);
  }
  expect((await lookUp('abcdef', 'x')).status).toBe(422);
});

test('every role of admins that reads tenants can look up a key, and nobody else', async () => {
  const { id, key } = await newLicense(suite.tenant);
  for (const role of adminRoleNames) {
    const { auth } = await createAdmin(suite.app, role);
    expect((await lookUp(key, undefined, auth)).body.data.licenses, role).toMatchObject([{ id }]);
  }
  for (const headers of [{}, suite.tenant.owner.auth, { 'x-api-key': suite.tenant.apiKey }]) {
    const answer = await suite.app.request({ method: 'GET', url: `/api/v1/admin/licenses?key=${key}`, headers });
    expect([401, 403]).toContain(answer.status);
    expect(answer.text).not.toContain(id);
  }
});

test('many tenants are searched in steps, and a tenant without a usable database hides no license of another', async () => {
  for (let count = 0; count < 120; count += 1) await addTenantRow(suite.app, `Empty ${count}`);
  const last = await suite.newTenant('Last');
  const { id, key } = await newLicense(last);
  const ids: string[] = [];
  let unreachable = 0;
  let searched = 0;
  let steps = 0;
  let tenants = 0;
  for (let after: string | undefined | null; after !== null; after = after ?? null) {
    const { data } = (await lookUp(key, after)).body;
    expect(data.searched).toBeLessThanOrEqual(100);
    ids.push(...data.licenses.map((license: { id: string }) => license.id));
    unreachable += data.unreachable.length;
    searched += data.searched;
    steps += 1;
    tenants = data.tenants;
    after = data.next;
  }
  expect([ids, unreachable, searched === tenants, steps > 1]).toEqual([[id], 120, true, true]);
});

test('an admin can look up 60 times a minute', async () => {
  const { auth } = await createAdmin(suite.app);
  const statuses = new Set<number>();
  for (let count = 0; count < 60; count += 1) statuses.add((await lookUp('short', undefined, auth)).status);
  for (let count = 0; count < 60; count += 1) statuses.add((await lookUp('------', undefined, auth)).status);
  const refused = await lookUp('abcdef', undefined, auth);
  expect([[...statuses], refused.status, refused.body.error.code]).toEqual([[422], 429, 'RATE_LIMIT.EXCEEDED']);
});
