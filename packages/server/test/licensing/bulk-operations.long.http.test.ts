import { beforeEach, describe, expect, test } from 'vitest';
import { batchJob } from '../../src/features/licensing/license-batches/batch-job.ts';
import { newId } from '../../src/lib/ids.ts';
import { runFirstStep, runTenantJobs } from '../jobs/job-rows.ts';
import { bothSurfaces, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import {
  badFields,
  created,
  defineEntitlements,
  eventsOf,
  newLicense,
  newPolicy,
  newProduct,
} from '../support/licensing-catalog.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
const dayMs = 86_400_000;

let productId: string;
let policyId: string;
let ids: string[];

/** Four licenses of a policy of their own: three with an end, and the last one without. */
beforeEach(async () => {
  const { tenant } = suite;
  productId = (await newProduct(tenant)).id;
  policyId = (await newPolicy(tenant, { product_id: productId, duration_days: 30 })).id;
  ids = [];
  for (const fields of [{}, {}, {}, { expires_at: null }]) {
    ids.push(created(await tenant.asOwner('POST', '/licenses', { policy_id: policyId, ...fields })).id);
    clock.advance(1000);
  }
});

describe.each(bothSurfaces(suite))('bulk operations through the $surface surface', ({ prefix, auth, suffix }) => {
  const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
    suite.app.request({ method, url: prefix() + path, headers: auth(), ...(payload && { payload }) });
  const read = async (id: string) => (await send('GET', `/bulk-operations/${id}`)).body.data;
  const license = async (id: string) => (await suite.tenant.asOwner('GET', `/licenses/${id}`)).body.data;
  const allLicenses = () => Promise.all(ids.map(license));

  /** Runs an operation to its end. */
  async function perform(body: object) {
    const { status, body: answer } = await send('POST', '/bulk-operations', body);
    expect([status, answer.data?.state]).toEqual([202, 'running']);
    await runTenantJobs(suite.app);
    return await read(answer.data.id);
  }

  async function undo(id: string) {
    const { status, body } = await send('POST', `/bulk-operations/${id}/undo`);
    expect(status).toBe(202);
    await runTenantJobs(suite.app);
    return await read(body.data.id);
  }

  test('a dry run says what changes, what cannot and why, with examples, and changes nothing', async () => {
    const before = await allLicenses();
    const action = { type: 'extend', duration_days: 10 };
    const { status, body } = await send('POST', '/bulk-operations', {
      filter: { policy_id: policyId },
      action,
      dry_run: true,
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ total: 4, changed: 3, unchanged: 0, refused: 1 });
    expect(body.data.refusals).toEqual([
      {
        code: 'LICENSE.TRANSITION_INVALID',
        message: 'The license has no expiry date. Set one instead of extending it.',
        count: 1,
      },
    ]);
    expect([body.data.examples.length, body.data.offline_until]).toEqual([3, null]);
    expect(body.data.examples[0].changes).toMatchObject([{ field: 'expires_at' }]);
    expect(await allLicenses()).toEqual(before);
  });

  test('licenses that would still be expired are refused for one reason, in the dry run and in the operation', async () => {
    const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
    for (const end of [-70, -60]) {
      const fields = { policy_id: policyId, starts_at: at(-100), expires_at: at(end) };
      ids.push(created(await suite.tenant.asOwner('POST', '/licenses', fields)).id);
    }
    const body = { filter: { policy_id: policyId, status: 'expired' }, action: { type: 'extend', duration_days: 10 } };
    const message = expect.stringMatching(/^The license would still be expired\. /);
    const refused = { refused: 2, refusals: [{ code: 'LICENSE.RENEWAL_IN_PAST', message, count: 2 }] };
    const dryRun = (await send('POST', '/bulk-operations', { ...body, dry_run: true })).body.data;
    expect(dryRun).toMatchObject({ total: 2, changed: 0, ...refused });
    expect(await perform(body)).toMatchObject(refused);
    expect(await perform({ ...body, action: { type: 'extend', duration_days: 100 } })).toMatchObject({ changed: 2 });
  });

  test('an extension of a license that ends with a month moves its end to the end of a month', async () => {
    const policy = await newPolicy(suite.tenant, { product_id: productId, duration_months: 3, ends_with_month: true });
    const { id, expires_at } = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
    expect(expires_at).toBe('2027-02-28T23:59:59.999999Z');
    const body = { ids: [id], action: { type: 'extend', duration_months: 1 } };
    const end = '2027-03-31T23:59:59.999999Z';
    const preview = (await send('POST', '/bulk-operations', { ...body, dry_run: true })).body.data;
    expect(preview.examples[0].changes).toMatchObject([{ field: 'expires_at', old: expires_at, new: end }]);
    expect(await perform(body)).toMatchObject({ changed: 1 });
    expect((await license(id)).expires_at).toBe(end);
  });

  test('an operation changes each license like a single change, with its audit record and its reason', async () => {
    const before = await allLicenses();
    const operation = await perform({
      filter: { policy_id: policyId },
      action: { type: 'extend', duration_days: 10 },
      reason: 'Outage',
    });
    expect(operation).toMatchObject({ state: 'done', total: 4, changed: 3, refused: 1, reason: 'Outage' });
    const after = await allLicenses();
    for (const index of [0, 1, 2]) {
      expect(Date.parse(after[index].expires_at) - Date.parse(before[index].expires_at)).toBe(10 * dayMs);
    }
    expect(after[3]).toEqual(before[3]);
    const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${ids[0]}&limit=1`);
    expect(body.data[0].event).toBe(`LICENSE.UPDATED${suffix}`);
    expect(body.data[0].changes).toMatchObject([
      { field: 'expires_at' },
      { field: 'reason', new: 'Outage' },
      { field: 'bulk_operation_id', new: operation.id },
    ]);
    expect(await eventsOf(suite.tenant, operation.id)).toEqual([`BULK_OPERATION.STARTED${suffix}`]);
  });

  test.for([
    { name: 'extend', action: () => ({ type: 'extend', duration_days: 5 }) },
    { name: 'months', action: () => ({ type: 'extend', duration_months: 12 }) },
    { name: 'set_expiry', action: () => ({ type: 'set_expiry', expires_at: '2030-01-01T00:00:00Z' }) },
    { name: 'an end that is removed', action: () => ({ type: 'set_expiry', expires_at: null }) },
    {
      name: 'change_policy',
      action: async () => ({
        type: 'change_policy',
        policy_id: (await newPolicy(suite.tenant, { product_id: productId })).id,
      }),
    },
    { name: 'set_limit', action: () => ({ type: 'set_limit', max_activations: 7 }) },
    {
      name: 'grant_entitlement',
      action: () => ({
        type: 'grant_entitlement',
        entitlement: { code: 'export', value: true, expires_at: '2027-01-01T00:00:00Z' },
      }),
    },
    { name: 'suspend', action: () => ({ type: 'suspend' }) },
    { name: 'revoke', action: () => ({ type: 'revoke' }) },
  ])('an undo gives the licenses their former state after $name', async ({ action }) => {
    await defineEntitlements(suite.tenant, { export: 'boolean' });
    const before = await allLicenses();
    const operation = await perform({ ids, action: await action(), reason: 'Mistake' });
    expect(operation.changed).toBeGreaterThan(0);
    expect(await allLicenses()).not.toEqual(before);
    const undone = await undo(operation.id);
    expect(undone).toMatchObject({ state: 'done', undoes: operation.id, changed: operation.changed, refused: 0 });
    const forget = ({ updated_at: _changed, ...rest }: { updated_at: string }) => rest;
    expect((await allLicenses()).map(forget)).toEqual(before.map(forget));
    expect((await read(operation.id)).undone_by).toBe(undone.id);
    expect((await send('POST', `/bulk-operations/${operation.id}/undo`)).status).toBe(409);
  });

  test('an undo leaves a field that somebody has changed since', async () => {
    const operation = await perform({ ids, action: { type: 'set_limit', max_activations: 7 } });
    await suite.tenant.asOwner('PUT', `/licenses/${ids[0]}`, { max_activations: 9 });
    const undone = await undo(operation.id);
    expect(undone).toMatchObject({ total: 4, changed: 3, refused: 1 });
    expect(undone.refusals[0].message).toBe('The license was changed since. Compare it with the file of changes.');
    expect((await allLicenses()).map(({ max_activations }) => max_activations)).toEqual([9, null, null, null]);
  });

  test('a dry run of suspend and revoke says until when a certificate that was issued now works', async () => {
    const terms = { duration_days: 2, grace_days: 1, offline_ttl_seconds_max: 7 * 86_400, product_id: productId };
    const { id, key } = await newLicense(suite.tenant, terms);
    const { expires_at } = (await suite.tenant.asApplication(`/licenses/${key}/certificate`)).body.data;
    for (const type of ['suspend', 'revoke']) {
      const { body } = await send('POST', '/bulk-operations', { ids: [id], action: { type }, dry_run: true });
      expect(Math.abs(Date.parse(body.data.offline_until) - Date.parse(expires_at))).toBeLessThan(dayMs / 24);
    }
  });

  test('a suspended license keeps the reason of the operation until it is reinstated', async () => {
    await perform({ ids, action: { type: 'suspend' }, reason: 'Charged back' });
    expect(await license(ids[0] ?? '')).toMatchObject({ status: 'suspended', status_reason: 'Charged back' });
    await perform({ ids, action: { type: 'reinstate' } });
    expect(await license(ids[0] ?? '')).toMatchObject({ status: 'active', status_reason: null });
  });

  test('the file of an operation says what changed from what to what, and what was refused', async () => {
    const { id } = await perform({ ids, action: { type: 'extend', duration_days: 1 } });
    const { text } = await send('GET', `/bulk-operations/${id}/changes`);
    const lines = text.trim().split('\n');
    expect(lines[0]).toBe('license_id,key,field,old,new,refusal');
    expect(lines).toHaveLength(5);
    expect(lines.filter((line) => line.includes('expires_at,2026-12-20'))).toHaveLength(3);
    expect(lines.filter((line) => line.includes('The license has no expiry date'))).toHaveLength(1);
  });

  test('licenses that are issued after the request are left out', async () => {
    const { body } = await send('POST', '/bulk-operations', {
      filter: { policy_id: policyId },
      action: { type: 'set_limit', max_activations: 1 },
    });
    clock.advance(1000);
    const later = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policyId }));
    await runTenantJobs(suite.app);
    expect(await read(body.data.id)).toMatchObject({ state: 'done', changed: 4 });
    expect((await license(later.id)).max_activations).toBeNull();
  });

  test('a cancelled operation changes nothing more and can be undone', async () => {
    const { body } = await send('POST', '/bulk-operations', { ids, action: { type: 'revoke' } });
    const path = `/bulk-operations/${body.data.id}`;
    expect((await send('POST', `${path}/undo`)).status).toBe(409);
    for (let time = 0; time < 2; time += 1) {
      expect((await send('POST', `${path}/cancel`)).body.data).toMatchObject({ state: 'cancelled' });
    }
    await runTenantJobs(suite.app);
    expect((await allLicenses()).map(({ status }) => status)).toEqual(['active', 'active', 'active', 'active']);
    expect(await undo(body.data.id)).toMatchObject({ state: 'done', total: 0 });
    const done = await perform({ ids, action: { type: 'set_limit', max_activations: 2 } });
    expect((await send('POST', `/bulk-operations/${done.id}/cancel`)).status).toBe(409);
  });

  test.for([
    [{ action: { type: 'suspend' } }, ['filter']],
    [{ filter: {}, ids: [newId()], action: { type: 'suspend' } }, ['filter']],
    [{ filter: {}, action: { type: 'extend' } }, ['action.duration_days']],
    [{ filter: {}, action: { type: 'extend', duration_days: 1, duration_months: 1 } }, ['action.duration_months']],
    [{ filter: {}, action: { type: 'suspend', policy_id: newId() } }, ['action.policy_id']],
    [{ filter: {}, action: { type: 'change_policy', policy_id: newId() } }, ['action.policy_id']],
    [{ filter: {}, action: { type: 'grant_entitlement', entitlement: { code: 'unknown' } } }, ['action.entitlement']],
    [{ filter: { colour: 'red' }, action: { type: 'suspend' } }, ['filter.colour']],
    [{ filter: { metadata_value: 'x' }, action: { type: 'suspend' } }, ['filter.metadata_key']],
    [{ ids: [], action: { type: 'suspend' } }, ['ids']],
  ] as const)('the request %j is refused', async ([body, fields]) => {
    for (const dry_run of [true, false]) {
      const answer = await send('POST', '/bulk-operations', { ...body, dry_run });
      expect([answer.status, badFields(answer)]).toEqual([422, fields]);
    }
  });

  test('a list shows the operations, newest first', async () => {
    const first = await perform({ ids, action: { type: 'set_limit', max_activations: 2 } });
    clock.advance(1000);
    const second = await perform({ ids, action: { type: 'set_limit', max_activations: 2 } });
    expect(second).toMatchObject({ changed: 0, unchanged: 4 });
    const { body } = await send('GET', '/bulk-operations?limit=2');
    expect(body.data).toEqual([second, first]);
  });

  test('a batch is issued by a job, listed, exported and revoked', async () => {
    const answer = await send('POST', '/license-batches', {
      name: 'Nord',
      policy_id: policyId,
      count: 60,
      note: 'PO 1',
    });
    expect([answer.status, answer.body.data.state]).toEqual([202, 'running']);
    const { id } = answer.body.data;
    await runTenantJobs(suite.app);
    const batch = (await send('GET', `/license-batches/${id}`)).body.data;
    expect(batch).toMatchObject({ state: 'done', count: 60, issued: 60, note: 'PO 1' });
    expect((await send('GET', '/license-batches')).body.data[0]).toEqual(batch);
    const [one, other] = (await send('GET', `/licenses?batch_id=${id}&limit=2`)).body.data;
    await suite.tenant.asApplication(`/licenses/${one.key}/validate`);
    await suite.tenant.asApplication(`/licenses/${other.key}/activations`, { fingerprint: 'one' });
    await suite.app.services.validationTimes.flush();
    expect((await send('GET', `/license-batches/${id}?include=details`)).body.data).toEqual({ ...batch, used: 2 });
    const { text } = await send('GET', `/license-batches/${id}/keys`);
    const keys = new Set(
      text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    );
    expect(keys.size).toBe(60);
    const listed = (await send('GET', `/licenses?batch_id=${id}&limit=100`)).body.data;
    expect(listed).toHaveLength(60);
    expect(listed.every((row: { batch_id: string }) => row.batch_id === id)).toBe(true);
    expect(await perform({ filter: { batch_id: id }, action: { type: 'revoke' } })).toMatchObject({ changed: 60 });
  });

  test('a cancelled batch issues no further license, and a batch that has ended is not cancelled', async () => {
    const { id } = (await send('POST', '/license-batches', { name: 'Typo', policy_id: policyId, count: 60 })).body.data;
    await runFirstStep(suite.app, suite.tenant.id, batchJob(suite.app.services));
    const cancelled = await send('POST', `/license-batches/${id}/cancel`);
    const kept = { state: 'failed', count: 60, issued: 25, reason: 'The batch was cancelled.' };
    expect(cancelled.body.data, cancelled.text).toMatchObject(kept);
    await runTenantJobs(suite.app);
    expect((await send('GET', `/license-batches/${id}`)).body.data).toEqual(cancelled.body.data);
    expect((await send('GET', `/licenses?batch_id=${id}&limit=100`)).body.data).toHaveLength(25);
    const again = await send('POST', `/license-batches/${id}/cancel`);
    expect([again.status, again.body.data]).toEqual([200, cancelled.body.data]);
    const event = `LICENSE_BATCH.CANCELLED${suffix}`;
    const { body } = await suite.tenant.asOwner('GET', `/audit-logs?event=${event}&resource_id=${id}`);
    expect(body.data).toMatchObject([{ changes: [{ field: 'state', old: 'running', new: 'failed' }] }]);
  });

  test('a batch of an unknown policy is refused', async () => {
    const answer = await send('POST', '/license-batches', { name: 'Nord', policy_id: newId(), count: 1 });
    expect(badFields(answer)).toEqual(['policy_id']);
  });

  test.for(['suspend', 'revoke'] as const)(
    'the reason of a single %s is kept in the license and its record',
    async (action) => {
      const [id = ''] = ids;
      const { body } = await send('POST', `/licenses/${id}/${action}`, { reason: 'Refunded.' });
      expect(body.data.status_reason).toBe('Refunded.');
      const records = (await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${id}&limit=1`)).body.data;
      expect(records[0].changes).toContainEqual({ field: 'reason', old: null, new: 'Refunded.' });
      expect((await send('POST', `/licenses/${id}/${action}`, { reason: 'x'.repeat(501) })).status).toBe(422);
    },
  );
});
