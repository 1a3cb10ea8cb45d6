import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import {
  badFields,
  created,
  defineEntitlements,
  eventsOf,
  newLicense,
  newPolicy,
} from '../support/licensing-catalog.ts';

const suite = useTenant();

const asAdmin = (path: string) => suite.asAdmin('GET', `/tenants/${suite.tenant.id}${path}`);

async function newEntitlement(fields: object = {}) {
  return created(
    await suite.tenant.asOwner('POST', '/entitlements', { code: newId(), name: 'Export', type: 'boolean', ...fields }),
  );
}

describe('entitlements', () => {
  test('an entitlement keeps its fields, is updated by field, and its changes are audited', async () => {
    const made = await newEntitlement({ code: 'export', type: 'metered', description: 'PDF' });
    expect(made).toMatchObject({ code: 'export', name: 'Export', type: 'metered', description: 'PDF' });
    const changed = await suite.tenant.asOwner('PUT', `/entitlements/${made.id}`, {
      name: 'Exports',
      description: null,
    });
    expect(changed.body.data).toMatchObject({ code: 'export', name: 'Exports', type: 'metered', description: null });
    const same = await suite.tenant.asOwner('PUT', `/entitlements/${made.id}`, { name: 'Exports' });
    expect(same.body.data).toEqual(changed.body.data);
    expect((await asAdmin('/entitlements?code=export')).body.data).toEqual([changed.body.data]);
    expect((await suite.tenant.asOwner('DELETE', `/entitlements/${made.id}`)).body.data).toEqual({
      deleted: true,
      id: made.id,
    });
    expect((await suite.tenant.asOwner('GET', `/entitlements/${made.id}`)).status).toBe(404);
    expect(await eventsOf(suite.tenant, made.id)).toEqual([
      'ENTITLEMENT.DELETED',
      'ENTITLEMENT.UPDATED',
      'ENTITLEMENT.CREATED',
    ]);
  });

  test('the code of an entitlement is unique, even among concurrent creations', async () => {
    const code = newId();
    const fields = { code, name: 'Twin', type: 'boolean' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => suite.tenant.asOwner('POST', '/entitlements', fields)),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const refused = answers.find((answer) => answer.status === 409);
    expect(refused?.body.error.code).toBe('ENTITLEMENT.CODE_TAKEN');
  });

  test('the list of entitlements filters by type', async () => {
    const value = await newEntitlement({ type: 'value' });
    const metered = await newEntitlement({ type: 'metered' });
    const { data } = (await suite.tenant.asOwner('GET', '/entitlements?type=value&limit=100')).body;
    const ids = data.map((entitlement: { id: string }) => entitlement.id);
    expect(ids).toContain(value.id);
    expect(ids).not.toContain(metered.id);
  });

  test.each(['code', 'type'])('the %s of an entitlement cannot be changed', async (field) => {
    const { id } = await newEntitlement();
    const refused = await suite.tenant.asOwner('PUT', `/entitlements/${id}`, { [field]: 'metered' });
    expect([refused.status, badFields(refused)]).toEqual([422, [field]]);
  });
});

describe('grants of policies and licenses', () => {
  test.each([
    [[{ code: 'unknown' }], ['entitlements.0.code']],
    [[{ code: 'on' }, { code: 'on' }], ['entitlements.1.code']],
    [[{ code: 'on', value: 'text' }], ['entitlements.0.value']],
    [
      [{ code: 'on', limit: 5, reset: 'day', overage: 'deny' }],
      ['limit', 'overage', 'reset'].map((name) => `entitlements.0.${name}`),
    ],
    [[{ code: 'text', value: 'gold', limit: 1 }], ['entitlements.0.limit']],
    [[{ code: 'count', value: 5 }], ['entitlements.0.value']],
    [[{ code: 'count', limit: 2 ** 53 }], ['entitlements.0.limit']],
    [[{ code: 'count', limit: 1.5 }], ['entitlements.0.limit']],
  ])('the grants %j, which do not fit the definitions, are refused', async (entitlements, bad) => {
    await defineEntitlements(suite.tenant, { on: 'boolean', text: 'value', count: 'metered' });
    const { id: policyId, product_id } = await newPolicy(suite.tenant);
    const license = await newLicense(suite.tenant);
    const policy = { product_id, code: newId(), name: 'Plan' };
    const answers = [
      await suite.tenant.asOwner('POST', '/policies', { ...policy, entitlements }),
      await suite.tenant.asOwner('PUT', `/policies/${policyId}`, { entitlements }),
      await suite.tenant.asOwner('POST', '/licenses', { policy_id: policyId, entitlements }),
      await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { entitlements }),
    ];
    for (const refused of answers) expect([refused.status, badFields(refused)]).toEqual([422, bad]);
  });

  test.each([
    [{ code: 'on' }],
    [{ code: 'on', value: false }],
    [{ code: 'text', value: 7.5 }],
    [{ code: 'count', limit: 0, reset: 'month', overage: 'allow' }],
    [{ code: 'count', value: false }],
  ])('the grant %j is returned exactly as it was written', async (entitlement) => {
    await defineEntitlements(suite.tenant, { on: 'boolean', text: 'value', count: 'metered' });
    const license = await newLicense(suite.tenant, { entitlements: [entitlement] }, { entitlements: [entitlement] });
    expect(license.entitlements).toEqual([entitlement]);
    const policy = (await suite.tenant.asOwner('GET', `/policies/${license.policy_id}`)).body.data;
    expect(policy.entitlements).toEqual([entitlement]);
    const again = await suite.tenant.asOwner('PUT', `/policies/${policy.id}`, { entitlements: policy.entitlements });
    expect(policy).toMatchObject(again.body.data);
  });

  test('an entitlement can be deleted only when no policy and no license grants it', async () => {
    const entitlement = await newEntitlement();
    const entitlements = [{ code: entitlement.code }];
    const policy = await newPolicy(suite.tenant, { entitlements });
    const license = await newLicense(suite.tenant, {}, { entitlements });
    const remove = () => suite.tenant.asOwner('DELETE', `/entitlements/${entitlement.id}`);
    const refused = await remove();
    expect([refused.status, refused.body.error.code]).toEqual([409, 'ENTITLEMENT.IN_USE']);
    await suite.tenant.asOwner('PUT', `/policies/${policy.id}`, { entitlements: null });
    expect((await remove()).status).toBe(409);
    await suite.tenant.asOwner('DELETE', `/licenses/${license.id}`);
    expect((await remove()).status).toBe(200);
  });

  test('of a concurrent grant and deletion of an entitlement exactly one succeeds', async () => {
    for (let round = 0; round < 10; round += 1) {
      const entitlement = await newEntitlement();
      const { id } = await newPolicy(suite.tenant);
      const [granted, deleted] = await Promise.all([
        suite.tenant.asOwner('PUT', `/policies/${id}`, { entitlements: [{ code: entitlement.code }] }),
        suite.tenant.asOwner('DELETE', `/entitlements/${entitlement.id}`),
      ]);
      expect([
        [200, 409],
        [422, 200],
      ]).toContainEqual([granted.status, deleted.status]);
    }
  });
});
