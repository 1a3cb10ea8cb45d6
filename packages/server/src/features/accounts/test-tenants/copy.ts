import type { TenantDb } from '../../../db/database.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { copyEntitlements } from '../../licensing/entitlements/service.ts';
import { copyPolicies } from '../../licensing/policies/service.ts';
import { copyProducts } from '../../licensing/products/service.ts';
import { recountUse } from '../../tenant-core/plan-limits/service.ts';
import { copySettings } from '../../tenant-core/settings/service.ts';
import { copyWebhooks } from '../../webhooks/endpoints/service.ts';

/**
 * Copies what a vendor configures into the database of a new tenant: entitlements, products, policies, settings and,
 * disabled, webhook endpoints. Everything keeps its id, so that code that names a policy runs against both tenants.
 * Licenses, customers and history are not copied. The quota does not count: a copy must not fail.
 */
export async function copyConfiguration(keyring: Keyring, from: TenantDb, to: TenantDb): Promise<void> {
  await to.transaction(async (tx) => {
    await copyEntitlements(from, tx);
    await copyProducts(from, tx);
    await copyPolicies(from, tx);
    await copySettings(from, tx);
    await copyWebhooks(keyring, from, tx);
  });
  await recountUse(to);
}
