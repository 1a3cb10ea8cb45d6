import { expect, test } from 'vitest';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';

const suite = useApp();

test('the audit log names the license of a change by its holder and the end of its key, also after the deletion', async () => {
  const admin = await createAdmin(suite.app);
  const tenant = await createTenant(suite.app, admin);
  const license = await newLicense(tenant, {}, { holder: { name: 'Grace Hopper' } });
  await tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'a' });
  expect((await tenant.asOwner('DELETE', `/licenses/${license.id}`)).status).toBe(200);
  const name = `Grace Hopper · …${license.key.slice(-5)}`;
  for (const type of ['license', 'activation']) {
    const { body } = await tenant.asOwner('GET', `/audit-logs?resource_type=${type}`);
    expect(body.data.length).toBeGreaterThan(0);
    expect(new Set(body.data.map((record: { resource_name: string | null }) => record.resource_name))).toEqual(
      new Set([name]),
    );
  }
  const { text } = await tenant.asOwner('GET', '/audit-logs/export?format=csv&resource_type=license');
  expect(text).toContain(name);
  const product = await tenant.asOwner('GET', '/audit-logs?resource_type=product');
  expect(product.body.data[0].resource_name).toBeNull();
});
