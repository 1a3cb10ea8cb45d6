import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import {
  badFields,
  defineEntitlements,
  eventsOf,
  newLicense,
  newPolicy,
  newProduct,
} from '../support/licensing-catalog.ts';

const suite = useTenant();

const asAdmin = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string) =>
  suite.asAdmin(method, `/tenants/${suite.tenant.id}${path}`);

describe('products', () => {
  test('a product keeps its fields, is updated by field, and its changes are audited', async () => {
    const product = await newProduct(suite.tenant, {
      code: 'editor',
      description: 'Text',
      platforms: ['mac'],
      metadata: { a: 1 },
    });
    expect(product).toMatchObject({ code: 'editor', description: 'Text', platforms: ['mac'], metadata: { a: 1 } });
    const changed = await suite.tenant.asOwner('PUT', `/products/${product.id}`, {
      name: 'New',
      description: null,
      metadata: null,
    });
    expect(changed.body.data).toMatchObject({
      code: 'editor',
      name: 'New',
      description: null,
      platforms: ['mac'],
      metadata: {},
    });
    const same = await suite.tenant.asOwner('PUT', `/products/${product.id}`, { name: 'New' });
    expect(same.body.data).toEqual(changed.body.data);
    expect(await eventsOf(suite.tenant, product.id)).toEqual(['PRODUCT.UPDATED', 'PRODUCT.CREATED']);
    const audit = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${product.id}`);
    expect(audit.body.data[0].changes).toContainEqual({ field: 'name', old: 'Editor', new: 'New' });
    expect((await asAdmin('GET', `/products/${product.id}`)).body.data).toEqual(changed.body.data);
    expect((await asAdmin('GET', '/products?code=editor')).body.data).toEqual([changed.body.data]);
  });

  test('the code of a product is unique', async () => {
    const { code } = await newProduct(suite.tenant);
    const other = await newProduct(suite.tenant);
    for (const taken of [
      await suite.tenant.asOwner('POST', '/products', { code, name: 'Twin' }),
      await suite.tenant.asOwner('PUT', `/products/${other.id}`, { code }),
    ]) {
      expect([taken.status, taken.body.error.code]).toEqual([409, 'PRODUCT.CODE_TAKEN']);
    }
  });

  test('a product can be deleted only when it has no policies', async () => {
    const product = await newProduct(suite.tenant);
    const policy = await newPolicy(suite.tenant, { product_id: product.id });
    const used = await suite.tenant.asOwner('DELETE', `/products/${product.id}`);
    expect([used.status, used.body.error.code]).toEqual([409, 'PRODUCT.IN_USE']);
    expect((await suite.tenant.asOwner('DELETE', `/policies/${policy.id}`)).status).toBe(200);
    const deleted = await suite.tenant.asOwner('DELETE', `/products/${product.id}`);
    expect(deleted.body.data).toEqual({ deleted: true, id: product.id });
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await suite.tenant.asOwner(method, `/products/${product.id}`)).status).toBe(404);
    }
  });

  test.each([
    [{ code: 'a', name: 'A', platforms: ['x', 'x'] }, ['platforms']],
    [{ code: 'a', name: 'A', metadata: { a: { b: { c: { d: { e: 1 } } } } } }, ['metadata']],
  ])('a product with %j is refused, and the error names every bad field', async (payload, fields) => {
    const refused = await suite.tenant.asOwner('POST', '/products', payload);
    expect([refused.status, badFields(refused)]).toEqual([422, fields]);
  });
});

describe('policies', () => {
  test('a policy has defaults, and every field is returned as it was set', async () => {
    const plain = await newPolicy(suite.tenant);
    expect(plain).toMatchObject({
      duration_days: null,
      expiry_basis: 'creation',
      expiry_strategy: 'deny',
      grace_days: 0,
      renewal_basis: 'from_expiry_or_now',
      max_activations: null,
      activation_overage_percent: 0,
      require_activation: false,
      lease_seconds: null,
      entitlements: [],
      metadata: {},
    });
    const fields = {
      duration_days: 30,
      expiry_basis: 'first_activation',
      expiry_strategy: 'allow',
      grace_days: 3,
      renewal_basis: 'from_now',
      maintenance_days: 10,
      max_activations: 5,
      activation_overage_percent: null,
      require_activation: true,
      lease_seconds: 60,
      max_deactivations: 2,
      offline_ttl_seconds_max: 3600,
      key_prefix: 'ACME',
      entitlements: [
        { code: 'seats', limit: 5, reset: 'month', overage: 'allow' },
        { code: 'tier', value: 'gold' },
      ],
      metadata: { note: 'x' },
    };
    await defineEntitlements(suite.tenant, { seats: 'metered', tier: 'value' });
    const full = await newPolicy(suite.tenant, fields);
    expect(full).toMatchObject(fields);
    expect((await asAdmin('GET', `/policies/${full.id}`)).body.data).toEqual({ ...full, is_deletable: true });
    const changed = await suite.tenant.asOwner('PUT', `/policies/${plain.id}`, fields);
    expect(changed.body.data).toMatchObject({ ...fields, code: plain.code });
    const listed = await asAdmin('GET', `/policies?product_id=${full.product_id}`);
    expect(listed.body.data).toEqual([full]);
  });

  test('the code of a policy is unique within its product, and its product must exist', async () => {
    const policy = await newPolicy(suite.tenant);
    await newPolicy(suite.tenant, { code: policy.code });
    const taken = await suite.tenant.asOwner('POST', '/policies', {
      product_id: policy.product_id,
      code: policy.code,
      name: 'Twin',
    });
    expect([taken.status, taken.body.error.code]).toEqual([409, 'POLICY.CODE_TAKEN']);
    const orphan = await suite.tenant.asOwner('POST', '/policies', { product_id: newId(), code: 'a', name: 'A' });
    expect([orphan.status, badFields(orphan)]).toEqual([422, ['product_id']]);
  });

  test('a policy cannot be deleted after a license was issued under it, even if that license is deleted', async () => {
    const license = await newLicense(suite.tenant);
    await suite.tenant.asOwner('DELETE', `/licenses/${license.id}`);
    const policy = await suite.tenant.asOwner('GET', `/policies/${license.policy_id}`);
    expect(policy.body.data.is_deletable).toBe(false);
    const used = await suite.tenant.asOwner('DELETE', `/policies/${license.policy_id}`);
    expect([used.status, used.body.error.code]).toEqual([409, 'POLICY.IN_USE']);
  });

  test.each([
    [{ entitlements: [{ code: 'a', limit: -1, typo: 1 }] }, ['entitlements.0.limit', 'entitlements.0.typo']],
    [{ product_id: newId() }, ['product_id']],
  ])('the change %j of a policy is refused, and the error names every bad field', async (payload, fields) => {
    const { id } = await newPolicy(suite.tenant);
    const refused = await suite.tenant.asOwner('PUT', `/policies/${id}`, payload);
    expect([refused.status, badFields(refused)]).toEqual([422, fields]);
  });
});
