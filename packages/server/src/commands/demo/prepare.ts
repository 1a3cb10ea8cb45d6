import { issueApiKey } from '../../features/accounts/api-keys/service.ts';
import { createTenant } from '../../features/accounts/tenants/service.ts';
import { createPlan, findPlanByCode } from '../../features/commerce/plans/service.ts';
import { createEntitlement } from '../../features/licensing/entitlements/service.ts';
import { createLicense } from '../../features/licensing/licenses/service.ts';
import { createPolicy } from '../../features/licensing/policies/service.ts';
import { createProduct } from '../../features/licensing/products/service.ts';
import type { Services } from '../../services.ts';
import { systemActor } from '../../tenancy/system-actor.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { findTenantRecord, limitsOf } from '../../tenancy/tenant-record.ts';
import { createDemoAdmin, createDemoUser } from './accounts.ts';
import { type Demo, type DemoState, readDemoState, writeDemoState } from './demo-file.ts';
import { demoPlanCode } from './demo-plan.ts';

/**
 * Creates the demo data once: an admin, a user, and the user's tenant with a product, a policy, a license and an API
 * key. Existing parts are kept. Each completed step is recorded, so that an interrupted start resumes.
 */
export async function prepareDemo(services: Services): Promise<Demo> {
  const { dataDir } = services.config;
  let state = await withoutDeletedParts(services, await readDemoState(dataDir));

  async function once<Step extends keyof Demo>(step: Step, make: () => Promise<Demo[Step]>): Promise<Demo[Step]> {
    const existing: Demo[Step] | undefined = state[step];
    if (existing !== undefined) return existing;
    const made = await make();
    state = { ...state, [step]: made };
    await writeDemoState(dataDir, state);
    return made;
  }

  await createDemoPlan(services);
  const admin = await once('admin', () => createDemoAdmin(services));
  const user = await once('user', () => createDemoUser(services));
  const tenant = await once('tenant', () => createDemoTenant(services, user.email));
  const apiKey = await once('apiKey', () => createDemoApiKey(services, tenant.id));
  return { admin, user, tenant, apiKey };
}

/** The file may not match the database: another DATABASE_URL, a closed tenant or a revoked key. */
async function withoutDeletedParts(services: Services, state: DemoState): Promise<DemoState> {
  const { tenant, apiKey, ...accounts } = state;
  if (tenant === undefined) return accounts;
  const record = await findTenantRecord(services.platform, tenant.id);
  if (record === undefined) return {};
  if (record.status === 'closed') return accounts;
  const isUsable = apiKey !== undefined && (await isActiveApiKey(services, tenant.id, apiKey));
  return { ...accounts, tenant, ...(isUsable && { apiKey }) };
}

async function isActiveApiKey({ keyring, platform }: Services, tenantId: string, key: string): Promise<boolean> {
  const row = await platform.query
    .selectFrom('api_keys')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'active')
    .where('key_hash', 'in', [keyring.hash(key), ...keyring.previousHashes(key)])
    .executeTakeFirst();
  return row !== undefined;
}

async function createDemoTenant(services: Services, ownerEmail: string): Promise<Demo['tenant']> {
  const id = await createTenant(services, systemActor, { name: 'Demo Company', owner_email: ownerEmail });
  const licenseKey = await services.tenants.withTenantDb(id, async (db) => {
    const record = await findTenantRecord(services.platform, id);
    if (record === undefined) throw new Error('The demo tenant was deleted during the start: start the demo again.');
    return createDemoLicense(services, { id, name: record.name, limits: limitsOf(record), db });
  });
  return { id, licenseKey };
}

/** Creates a perpetual license for up to three machines: it is valid at once and lets the user try activations. */
async function createDemoLicense(services: Services, tenant: Tenant): Promise<string> {
  const product = await createProduct(services, tenant, systemActor, { code: 'demo-app', name: 'Demo App' });
  const entitlement = { code: 'export-pdf', name: 'PDF export', type: 'boolean' } as const;
  await createEntitlement(services, tenant, systemActor, entitlement);
  const policy = await createPolicy(services, tenant, systemActor, {
    product_id: product.id,
    code: 'standard',
    name: 'Standard',
    max_activations: 3,
    entitlements: [{ code: entitlement.code }],
  });
  const license = await createLicense(services, tenant, systemActor, { policy_id: policy.id });
  return license.key;
}

/** Creates a plan that can be bought with a test card. */
async function createDemoPlan(services: Services): Promise<void> {
  if ((await findPlanByCode(services.platform, demoPlanCode)) !== undefined) return;
  const prices = [
    { interval: 'month', currency: 'eur', amount: 2900 },
    { interval: 'year', currency: 'eur', amount: 29_000 },
  ] as const;
  const limits = { licenses: 10_000, members: 25 };
  await createPlan(services, systemActor, { code: demoPlanCode, name: 'Team', prices: [...prices], limits });
}

async function createDemoApiKey(services: Services, tenantId: string): Promise<string> {
  const { key } = await issueApiKey(services, { id: tenantId }, systemActor, { name: 'Demo' });
  return key;
}
