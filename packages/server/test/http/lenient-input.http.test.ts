import { describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';

const suite = useTenant();

describe('an id in upper case is accepted', () => {
  test('in paths, bodies, filters and validations', async () => {
    const { tenant, app, admin } = suite;
    const license = await newLicense(tenant);
    const id = license.id.toUpperCase();
    const product = license.product_id.toUpperCase();
    const asked = await tenant.asApplication(`/licenses/${license.key}/validate`, { product });
    expect(asked.body.data).toMatchObject({ valid: true, code: 'LICENSE.VALID' });
    const simulated = await tenant.asOwner('POST', `/licenses/${id}/validate`, { product });
    expect(simulated.body.data).toMatchObject({ valid: true });
    const policy_id = license.policy_id.toUpperCase();
    const issued = created(await tenant.asOwner('POST', '/licenses', { policy_id, key: null, holder: null }));
    expect(issued.policy_id).toBe(license.policy_id);
    const url = `/api/v1/admin/tenants/${tenant.id.toUpperCase()}/licenses/${id}`;
    const read = await app.request({ method: 'GET', url, headers: admin.auth });
    expect(read.body.data.id).toBe(license.id);
    for (const path of [`/licenses?policy_id=${policy_id}`, `/licenses?product_id=${product}`]) {
      expect((await tenant.asOwner('GET', path)).body.data, path).toHaveLength(2);
    }
    expect((await tenant.asOwner('GET', `/audit-logs?resource_id=${id}`)).body.data).toHaveLength(1);
    const keys = await app.request({ method: 'GET', url: `/api/v1/tenants/${tenant.id.toUpperCase()}/jwks.json` });
    expect(keys.body.keys).toHaveLength(1);
    const activation = created(
      await tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'a' }),
    );
    const beat = `/licenses/${license.key}/activations/${activation.id.toUpperCase()}/heartbeat`;
    expect((await tenant.asApplication(beat)).status).toBe(200);
  });

  test('in files of licenses', async () => {
    const license = await newLicense(suite.tenant);
    const cells = `${license.policy_id.toUpperCase()},${license.product_id.toUpperCase()}`;
    const answer = await suite.app.request({
      method: 'POST',
      url: '/api/v1/tenant/licenses/import',
      headers: { ...suite.tenant.owner.auth, 'content-type': 'text/csv' },
      payload: `policy_id,product\n${cells}\n`,
    });
    expect(answer.body.data).toMatchObject({ created: 1 });
  });
});
