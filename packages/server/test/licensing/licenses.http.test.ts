import { describe, expect, test } from 'vitest';
import { addMonths } from '../../src/lib/duration.ts';
import { newId } from '../../src/lib/ids.ts';
import { bothSurfaces, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import {
  badFields,
  created,
  defineEntitlements,
  eventsOf,
  newLicense,
  newPolicy,
  newProduct,
} from '../support/licensing-catalog.ts';
import { csv, ndjson, sendFile } from './license-files.ts';

const clock = useClock();
const suite = useTenant();

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const stored = (iso: string) => iso.replace(/(\.\d{3})Z$/, '$1000Z');

describe.each(bothSurfaces(suite))('licenses through the $surface surface', ({ prefix, auth, suffix }) => {
  const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer> =>
    suite.app.request({ method, url: prefix() + path, headers: auth(), ...(payload && { payload }) });

  test('a license is issued with a generated key and the dates of its policy', async () => {
    const policy = await newPolicy(suite.tenant, { duration_days: 30, maintenance_days: 10, key_prefix: 'ACME' });
    const license = created(
      await send('POST', '/licenses', { policy_id: policy.id, holder: { email: 'a@example.com' } }),
    );
    expect(license.key).toMatch(/^ACME(-[0-9A-HJKMNP-TV-Z]{5}){5}$/);
    expect(license).toMatchObject({
      product_id: policy.product_id,
      status: 'active',
      holder: { name: null, email: 'a@example.com', reference: null },
      starts_at: license.created_at,
      activations_count: 0,
      deactivations_count: 0,
      last_validated_at: null,
    });
    expect(Date.parse(license.expires_at) - Date.parse(license.starts_at)).toBe(30 * dayMs);
    expect(Date.parse(license.maintenance_expires_at) - Date.parse(license.starts_at)).toBe(10 * dayMs);
    expect((await send('GET', `/licenses/${license.id}`)).body.data).toEqual(license);
    expect(await eventsOf(suite.tenant, license.id)).toEqual([`LICENSE.CREATED${suffix}`]);
  });

  test('a repeated transition of a license succeeds and is audited once', async () => {
    const { id } = await newLicense(suite.tenant);
    for (const [action, status] of [
      ['suspend', 'suspended'],
      ['reinstate', 'active'],
      ['revoke', 'revoked'],
    ]) {
      for (let time = 0; time < 2; time += 1) {
        const answer = await send('POST', `/licenses/${id}/${action}`);
        expect([answer.status, answer.body.data.status]).toEqual([200, status]);
      }
    }
    for (const action of ['suspend', 'reinstate', 'renew', 'rotate-key']) {
      const refused = await send('POST', `/licenses/${id}/${action}`);
      expect([action, refused.status, refused.body.error.code]).toEqual([action, 409, 'LICENSE.TRANSITION_INVALID']);
    }
    const edited = await send('PUT', `/licenses/${id}`, { max_activations: 9, expires_at: inDays(99) });
    expect(edited.body.data).toMatchObject({ status: 'revoked', max_activations: 9 });
    expect(await eventsOf(suite.tenant, id)).toEqual(
      ['UPDATED', 'REVOKED', 'REINSTATED', 'SUSPENDED']
        .map((verb) => `LICENSE.${verb}${suffix}`)
        .concat('LICENSE.CREATED'),
    );
  });

  test('a license is renewed by its policy, and a rotated key replaces the old one', async () => {
    const license = await newLicense(suite.tenant, { duration_days: 30, renewal_basis: 'from_expiry' });
    const renewed = await send('POST', `/licenses/${license.id}/renew`, {});
    expect(Date.parse(renewed.body.data.expires_at) - Date.parse(license.expires_at)).toBe(30 * dayMs);
    const rotated = await send('POST', `/licenses/${license.id}/rotate-key`);
    expect(rotated.body.data.key).not.toBe(license.key);
    const codes = [license.key, rotated.body.data.key].map(async (key) => {
      return (await suite.tenant.asApplication(`/licenses/${key}/validate`)).body.data.code;
    });
    expect(await Promise.all(codes)).toEqual(['LICENSE.NOT_FOUND', 'LICENSE.VALID']);
    expect(await eventsOf(suite.tenant, license.id)).toEqual([
      `LICENSE.KEY_ROTATED${suffix}`,
      `LICENSE.RENEWED${suffix}`,
      'LICENSE.CREATED',
    ]);
    const perpetual = await newLicense(suite.tenant);
    expect((await send('POST', `/licenses/${perpetual.id}/renew`)).status).toBe(409);
  });

  test('a renewal of a license that ended long ago makes it usable, or is refused', async () => {
    const ended = { starts_at: inDays(-400), expires_at: inDays(-270) };
    const late = await newLicense(suite.tenant, { duration_months: 1 }, ended);
    const renewed = await send('POST', `/licenses/${late.id}/renew`);
    expect(renewed.body.data.expires_at).toBe(addMonths(renewed.body.data.updated_at, 1, 'UTC'));
    expect(await eventsOf(suite.tenant, late.id)).toEqual([`LICENSE.RENEWED${suffix}`, 'LICENSE.CREATED']);

    const fromExpiry = await newLicense(suite.tenant, { duration_months: 1, renewal_basis: 'from_expiry' }, ended);
    const refused = await send('POST', `/licenses/${fromExpiry.id}/renew`);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'LICENSE.RENEWAL_IN_PAST']);
    expect(refused.body.error.details).toMatchObject([{ field: 'expires_at' }]);
    const previewed = await send('POST', `/licenses/${fromExpiry.id}/renew`, { dry_run: true });
    expect(previewed.body.error).toEqual(refused.body.error);
    expect((await send('GET', `/licenses/${fromExpiry.id}`)).body.data.expires_at).toBe(fromExpiry.expires_at);
    expect((await send('POST', `/licenses/${fromExpiry.id}/renew`, { duration_months: 12 })).status).toBe(200);
  });

  test('a term in months keeps its day through renewals, also one that begins with the renewal or the first use', async () => {
    const monthly = { duration_months: 1, renewal_basis: 'from_expiry' };
    const license = await newLicense(suite.tenant, monthly, { starts_at: '2026-10-31T09:00:00Z' });
    const ends = [license.expires_at];
    for (let month = 0; month < 4; month += 1) {
      ends.push((await send('POST', `/licenses/${license.id}/renew`)).body.data.expires_at);
    }
    expect(ends.map((end) => end.slice(0, 10))).toEqual([
      ...['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31'],
    ]);
    const used = await newLicense(suite.tenant, { ...monthly, expiry_basis: 'first_validation' });
    const { license: begun } = (await suite.tenant.asApplication(`/licenses/${used.key}/validate`)).body.data;
    const preview = await send('POST', `/licenses/${used.id}/renew`, { duration_months: 13, dry_run: true });
    expect(preview.body.data.expires_at).toBe(addMonths(begun.last_validated_at, 14, 'UTC'));
    expect((await send('GET', `/licenses/${used.id}`)).body.data.expires_at).toBe(begun.expires_at);
    const twice = await send('POST', `/licenses/${used.id}/renew`, { duration_months: 13 });
    expect(twice.body.data.expires_at).toBe(addMonths(begun.last_validated_at, 14, 'UTC'));
  });

  test('an update changes only the fields of a license that it contains, and null clears a field', async () => {
    const license = await newLicense(suite.tenant, { duration_days: 30 }, { holder: { name: 'Ada', reference: 'r1' } });
    const ends = inDays(5);
    await defineEntitlements(suite.tenant, { seats: 'metered' });
    const changes = {
      holder: { email: 'b@example.com', name: null },
      expires_at: ends,
      max_activations: 3,
      entitlements: [{ code: 'seats', limit: 9, expires_at: ends }],
      metadata: { k: 'v' },
    };
    const changed = (await send('PUT', `/licenses/${license.id}`, changes)).body.data;
    expect(changed).toMatchObject({
      key: license.key,
      holder: { name: null, email: 'b@example.com', reference: 'r1' },
      expires_at: stored(ends),
      entitlements: [{ code: 'seats', limit: 9, expires_at: stored(ends) }],
      metadata: { k: 'v' },
    });
    const cleared = { expires_at: null, holder: null, max_activations: null, entitlements: null, metadata: null };
    expect((await send('PUT', `/licenses/${license.id}`, cleared)).body.data).toMatchObject({
      expires_at: null,
      holder: { name: null, email: null, reference: null },
      max_activations: null,
      entitlements: [],
      metadata: {},
    });
  });
});

describe('the list of licenses', () => {
  test('the list of licenses filters by the status at the exact current time', async () => {
    const policy = await newPolicy(suite.tenant, {});
    const make = async (fields: object) =>
      created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, ...fields })).id;
    const ids = {
      active: await make({ expires_at: inDays(10) }),
      pending: await make({ starts_at: inDays(1) }),
      expired: await make({ starts_at: inDays(-10), expires_at: inDays(-1) }),
      suspended: await make({ expires_at: inDays(10) }),
      revoked: await make({}),
    };
    await suite.tenant.asOwner('POST', `/licenses/${ids.suspended}/suspend`);
    await suite.tenant.asOwner('POST', `/licenses/${ids.revoked}/revoke`);
    const list = async (status: string) => {
      const { body } = await suite.tenant.asOwner('GET', `/licenses?policy_id=${policy.id}&status=${status}`);
      return body.data.map((row: { id: string; status: string }) => [row.id, row.status]);
    };
    for (const [status, id] of Object.entries(ids)) expect(await list(status)).toEqual([[id, status]]);
    clock.advance(10 * dayMs);
    expect(await list('expired')).toEqual([
      [ids.expired, 'expired'],
      [ids.active, 'expired'],
    ]);
    expect(await list('active')).toEqual([[ids.pending, 'active']]);
  });

  test('the list of licenses filters by key, holder, product and policy', async () => {
    const license = await newLicense(
      suite.tenant,
      {},
      { key: `own-${newId()}`, holder: { email: 'c@example.com', reference: 'ref/7' } },
    );
    for (const filter of [
      `key=${license.key}`,
      'holder_email=c@example.com',
      'holder_reference=ref%2F7',
      `product_id=${license.product_id}`,
      `policy_id=${license.policy_id}`,
    ]) {
      const { body } = await suite.tenant.asOwner('GET', `/licenses?${filter}`);
      expect([filter, body.data.map((row: { id: string }) => row.id)]).toEqual([filter, [license.id]]);
    }
    expect((await suite.tenant.asOwner('GET', '/licenses?holder_reference=%00')).status).toBe(422);
    expect((await suite.tenant.asOwner('GET', '/licenses?key=%00')).status).toBe(422);
    expect((await suite.tenant.asOwner('GET', '/licenses?holder=x')).status).toBe(422);
  });
});

describe('license keys', () => {
  test('a license key is unique; a new license with the key of a deleted one inherits nothing', async () => {
    const key = `MY.own_key:${newId()}`;
    const first = await newLicense(suite.tenant, { max_activations: 1 }, { key, metadata: { first: true } });
    await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'device' });
    await suite.tenant.asApplication(`/licenses/${key}/validate`, {});
    const taken = await suite.tenant.asOwner('POST', '/licenses', { policy_id: first.policy_id, key });
    expect([taken.status, taken.body.error.code]).toEqual([409, 'LICENSE.KEY_TAKEN']);

    expect((await suite.tenant.asOwner('DELETE', `/licenses/${first.id}`)).body.data).toEqual({
      deleted: true,
      id: first.id,
    });
    expect((await suite.tenant.asOwner('GET', `/licenses/${first.id}`)).body.error.code).toBe('LICENSE.NOT_FOUND');
    expect((await suite.tenant.asOwner('DELETE', `/licenses/${first.id}`)).status).toBe(404);
    expect((await suite.tenant.asApplication(`/licenses/${key}/validate`)).body.data.code).toBe('LICENSE.NOT_FOUND');
    const history = await suite.tenant.asOwner('GET', `/activations?license_id=${first.id}`);
    expect(history.body.data).toMatchObject([{ status: 'deactivated' }]);

    const second = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: first.policy_id, key }));
    expect(second).toMatchObject({ metadata: {}, activations_count: 0, last_validated_at: null, status: 'active' });
    const activated = await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'device' });
    expect(activated.status).toBe(201);
  });

  test('of 10 licenses created concurrently with one key, exactly one is created', async () => {
    const policy = await newPolicy(suite.tenant);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, key: `race-${policy.id}` }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });
});

test.each([
  ['an unknown policy', () => ({ policy_id: newId() }), ['policy_id']],
  ['a holder with a typo', () => ({ policy_id: newId(), holder: { mail: 'x' } }), ['holder.mail']],
])('a license with %s is refused, and the error names the fields', async (_name, payload, fields) => {
  const refused = await suite.tenant.asOwner('POST', '/licenses', payload());
  expect([refused.status, badFields(refused)]).toEqual([422, fields]);
});

test('a license cannot end before it starts, and cannot get a policy of another product', async () => {
  const license = await newLicense(suite.tenant, { duration_days: 30 });
  const inverted = await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { expires_at: inDays(-400) });
  expect([inverted.status, badFields(inverted)]).toEqual([422, ['expires_at']]);
  const foreign = await newPolicy(suite.tenant);
  const moved = await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { policy_id: foreign.id });
  expect([moved.status, badFields(moved)]).toEqual([422, ['policy_id']]);
  const sibling = await newPolicy(suite.tenant, { product_id: license.product_id, duration_days: 7 });
  const upgraded = await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { policy_id: sibling.id });
  expect(upgraded.body.data).toMatchObject({ policy_id: sibling.id, expires_at: license.expires_at });
  const mismatch = { policy_id: sibling.id, product_id: foreign.product_id };
  expect(badFields(await suite.tenant.asOwner('POST', '/licenses', mismatch))).toEqual(['product_id']);
});

const post = (body: object): Promise<Answer> => suite.tenant.asOwner('POST', '/licenses', body);
const put = (id: string, body: object): Promise<Answer> => suite.tenant.asOwner('PUT', `/licenses/${id}`, body);

async function expectTaken(answer: Answer): Promise<void> {
  expect([answer.status, answer.body.error?.code]).toEqual([409, 'LICENSE.ORDER_NUMBER_TAKEN']);
  expect(badFields(answer)).toEqual(['order_number']);
}

/** Creates a policy with a code of its own, which the rows of a file name. */
async function policyOfFile() {
  const product = await newProduct(suite.tenant);
  return await newPolicy(suite.tenant, { product_id: product.id, code: `plan-${newId()}` });
}

test('an order number is created, changed, kept and cleared, and the audit log and the events contain it', async () => {
  const { id: policy_id } = await newPolicy(suite.tenant);
  const number = `order ${newId()}`;
  const license = created(await post({ policy_id, order_number: number }));
  expect(license.order_number).toBe(number);
  expect((await put(license.id, { max_activations: 2 })).body.data.order_number).toBe(number);
  expect((await put(license.id, { order_number: `${number}/2` })).body.data.order_number).toBe(`${number}/2`);
  expect((await put(license.id, { order_number: null })).body.data.order_number).toBeNull();
  expect(created(await post({ policy_id })).order_number).toBeNull();

  const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${license.id}`);
  const changes = body.data.flatMap((record: { changes: { field: string }[] }) => record.changes);
  expect(changes.filter(({ field }: { field: string }) => field === 'order_number')).toEqual([
    { field: 'order_number', old: `${number}/2`, new: null },
    { field: 'order_number', old: number, new: `${number}/2` },
    { field: 'order_number', old: null, new: number },
  ]);
  const verdict = await suite.tenant.asApplication(`/licenses/${license.key}/validate`, {});
  expect(verdict.body.data.license).toHaveProperty('order_number', null);
});

describe('an order number is unique in a tenant', () => {
  test('a taken order number is a 409 until its license is deleted', async () => {
    const { id: policy_id } = await newPolicy(suite.tenant);
    const order_number = newId();
    const first = created(await post({ policy_id, order_number }));
    const other = created(await post({ policy_id }));
    await expectTaken(await post({ policy_id, order_number }));
    await expectTaken(await put(other.id, { order_number }));
    expect((await put(first.id, { order_number })).status).toBe(200);
    await suite.tenant.asOwner('DELETE', `/licenses/${first.id}`);
    expect((await put(other.id, { order_number })).body.data.order_number).toBe(order_number);
    await suite.tenant.asOwner('DELETE', `/licenses/${other.id}`);
    created(await post({ policy_id, order_number }));
  });

  test('of 10 licenses created concurrently with one order number, exactly one is created', async () => {
    const { id: policy_id } = await newPolicy(suite.tenant);
    const order_number = newId();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ policy_id, order_number })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });
});

test('licenses are filtered by the complete order number in every order', async () => {
  const { id: policy_id } = await newPolicy(suite.tenant);
  const order_number = `A/${newId()}`;
  const { id } = created(await post({ policy_id, order_number }));
  for (const sort of ['-created_at', 'created_at', 'expires_at', '-expires_at']) {
    const found = async (value: string) => {
      const query = `order_number=${encodeURIComponent(value)}&sort=${sort}`;
      const { body } = await suite.tenant.asOwner('GET', `/licenses?${query}`);
      return body.data.map((row: { id: string }) => row.id);
    };
    expect([sort, await found(order_number), await found(order_number.slice(0, -1))]).toEqual([sort, [id], []]);
  }
});

describe('files', () => {
  const kinds = [
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
  ] as const;

  test.each(kinds)('an import of %s refuses taken, repeated and malformed order numbers by row', async (kind, type) => {
    const { id: policy_id, code } = await policyOfFile();
    const [taken, free] = [newId(), newId()];
    created(await post({ policy_id, order_number: taken }));
    const numbers = [free, taken, free, 'x'.repeat(101)];
    const file =
      kind === 'csv'
        ? csv('policy,order_number', ...numbers.map((number) => `${code},${number}`), `${code},`)
        : ndjson(...[...numbers, null].map((order_number) => ({ policy: code, order_number })));
    const whole = await sendFile(suite.app, suite.tenant, file, { type });
    expect([whole.status, whole.body.error.code]).toEqual([422, 'IMPORT.REJECTED']);
    const { body } = await sendFile(suite.app, suite.tenant, file, { type, query: '?partial=true' });
    expect([body.data.created, body.data.failed]).toEqual([2, 3]);
    expect(body.data.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [2, 'order_number'],
      [3, 'order_number'],
      [4, 'order_number'],
    ]);
  });

  test.each(kinds)('an export as %s contains the order number, and an import reads it', async (kind, type) => {
    const { id: policy_id } = await policyOfFile();
    const order_number = `=1+1 ${newId()}`;
    const license = created(await post({ policy_id, order_number }));
    const { text } = await suite.tenant.asOwner('GET', `/licenses/export?format=${kind}&policy_id=${policy_id}`);
    await suite.tenant.asOwner('DELETE', `/licenses/${license.id}`);
    const { body } = await sendFile(suite.app, suite.tenant, text, { type });
    expect(body.data, text).toMatchObject({ created: 1, failed: 0 });
    const again = await suite.tenant.asOwner('GET', `/licenses?policy_id=${policy_id}`);
    expect(again.body.data).toMatchObject([{ key: license.key, order_number }]);
  });
});
