import { randomBytes } from 'node:crypto';
import { createAdminWithPassword } from '../../features/accounts/admins/service.ts';
import { issueApiKey } from '../../features/accounts/api-keys/service.ts';
import { admitProvenUser } from '../../features/accounts/identity/account-service.ts';
import { listTenants } from '../../features/accounts/tenants/queries.ts';
import { createTenant } from '../../features/accounts/tenants/service.ts';
import { freePlanCode } from '../../features/accounts/tenants/tenant.ts';
import { createPlan, findPlanByCode, updatePlan } from '../../features/commerce/plans/service.ts';
import { findOpenHandle } from '../../features/holders/portal/settings-service.ts';
import { createLicense } from '../../features/licensing/licenses/service.ts';
import { createPolicy } from '../../features/licensing/policies/service.ts';
import { createProduct, updateProduct } from '../../features/licensing/products/service.ts';
import { isDemoTenant } from '../../features/operations/demo-data/queries.ts';
import { removeAllDemoData } from '../../features/operations/demo-data/service.ts';
import { AppError } from '../../lib/error.ts';
import { hashPassword } from '../../lib/password.ts';
import type { Services } from '../../services.ts';
import { systemActor, type Tenant } from '../../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../../tenancy/tenant-record.ts';
import { type Demo, type DemoAccount, type DemoState, readDemoState, writeDemoState } from './demo-file.ts';
import { demoHolder, openDemoPortal } from './portal.ts';
import { demoProduct, demoTrial } from './samples/catalog.ts';
import { joinAsOwner } from './samples/company.ts';
import { demoPlanCode } from './samples/tenant.ts';

/**
 * Creates the demo data once: an admin, a user, the user's tenant and an API key; in a new installation also the sample
 * data. Existing parts are kept. `portal` is the handle of the tenant's portal, or null.
 * Each completed step is recorded, so that an interrupted start resumes.
 */
export async function prepareDemo(services: Services): Promise<Demo & { readonly portal: string | null }> {
  const { dataDir } = services.config;
  let state = await begin(services, await withoutDeletedParts(services, await readDemoState(dataDir)));

  async function record(changes: DemoState): Promise<void> {
    state = { ...state, ...changes };
    await writeDemoState(dataDir, state);
  }

  async function once<Step extends keyof Demo>(step: Step, make: () => Promise<Demo[Step]>): Promise<Demo[Step]> {
    const { [step]: existing }: Partial<Demo> = state;
    if (existing !== undefined) return existing;
    const made = await make();
    await record({ [step]: made });
    return made;
  }

  await createDemoPlan(services);
  const admin = await once('admin', () => createDemoAdmin(services));
  const user = await once('user', () => createDemoUser(services));
  const tenant = await once('tenant', () => createDemoTenant(services, state.samples, user.email));
  const apiKey = await once('apiKey', () => createDemoApiKey(services, tenant.id));
  const trialKey = await once('trialKey', () => createTrialKey(services, tenant.id));
  if (state.samples === 'started') await record({ samples: 'done' });
  return { admin, user, tenant, apiKey, trialKey, portal: await findOpenHandle(services, tenant.id) };
}

/**
 * Decides whether sample data is created: only in an installation without tenants. What an interrupted start left of it
 * is removed first; it is unused, because the service did not listen yet.
 */
async function begin(services: Services, state: DemoState): Promise<DemoState> {
  if (state.samples === 'started' && state.tenant === undefined) {
    await removeAllDemoData(services, systemActor);
    return state;
  }
  const isNew = state.samples === undefined && (await listTenants(services.platform, { limit: 1 })).length === 0;
  if (!isNew) return state;
  const started: DemoState = { ...state, samples: 'started' };
  await writeDemoState(services.config.dataDir, started);
  return started;
}

/** The file may not match the database: another DATABASE_URL, a closed tenant, a revoked key or a deleted license. */
async function withoutDeletedParts(services: Services, state: DemoState): Promise<DemoState> {
  const { tenant, apiKey, trialKey, ...others } = state;
  if (tenant === undefined) return others;
  const record = await findTenantRecord(services.platform, tenant.id);
  if (record === undefined) {
    const wasRemoved = apiKey !== undefined && (await isDemoTenant(services.platform, tenant.id));
    return wasRemoved ? { ...state, tenant: { id: tenant.id, licenseKey: null } } : {};
  }
  if (record.status === 'closed') return others;
  const isUsable = async (key: string | undefined) =>
    key !== undefined && (await isActiveApiKey(services, tenant.id, key));
  const licenseKey = await existingLicense(services, tenant);
  return {
    ...others,
    tenant: { id: tenant.id, licenseKey },
    ...((await isUsable(apiKey)) && { apiKey }),
    ...((await isUsable(trialKey)) && { trialKey }),
  };
}

async function existingLicense({ tenants }: Services, { id, licenseKey }: Demo['tenant']): Promise<string | null> {
  if (licenseKey === null) return null;
  return await tenants.readTenantDb(id, async ({ query }) => {
    const licenses = query.selectFrom('licenses').select('key').where('key', '=', licenseKey);
    return (await licenses.where('deleted_at', 'is', null).executeTakeFirst())?.key ?? null;
  });
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

/** Creates the tenant with the samples. In an installation that is in use already, it has only one license. */
async function createDemoTenant(
  services: Services,
  samples: DemoState['samples'],
  ownerEmail: string,
): Promise<Demo['tenant']> {
  if (samples === 'started') {
    const { createSamples } = await import('./samples/samples.ts');
    return await createSamples(services, ownerEmail);
  }
  const id = await createTenant(services, systemActor, { name: 'Demo Company' });
  await joinAsOwner(services, id, ownerEmail);
  const licenseKey = await services.tenants.withTenantDb(id, async (db) => {
    const record = await findTenantRecord(services.platform, id);
    if (record === undefined) throw new Error('The demo tenant was deleted during the start: start the demo again.');
    const tenant = tenantOf(record, db);
    await openDemoPortal(services, tenant, systemActor);
    return createDemoLicense(services, tenant);
  });
  return { id, licenseKey };
}

/** Creates a perpetual license for up to three machines: it is valid at once and lets the user try activations. */
async function createDemoLicense(services: Services, tenant: Tenant): Promise<string> {
  const product = await createProduct(services, tenant, systemActor, demoProduct);
  const terms = { product_id: product.id, code: 'standard', name: 'Standard', max_activations: 3 };
  const policy = await createPolicy(services, tenant, systemActor, terms);
  const trial = await createPolicy(services, tenant, systemActor, { product_id: product.id, ...demoTrial });
  await updateProduct(services, tenant, systemActor, product.id, { trial_policy_id: trial.id });
  return (await createLicense(services, tenant, systemActor, { policy_id: policy.id, holder: demoHolder })).key;
}

/** Creates a plan that can be bought with a test card, and gives the free one limits, so that the two differ. */
async function createDemoPlan(services: Services): Promise<void> {
  if ((await findPlanByCode(services.platform, demoPlanCode)) !== undefined) return;
  const prices = [
    { interval: 'month', currency: 'eur', amount: 2900 },
    { interval: 'year', currency: 'eur', amount: 29_000 },
  ] as const;
  const limits = { licenses: 10_000, members: 25 };
  await createPlan(services, systemActor, { code: demoPlanCode, name: 'Team', prices: [...prices], limits });
  const free = await findPlanByCode(services.platform, freePlanCode);
  if (free === undefined) return;
  await updatePlan(services, systemActor, free.plan.id, { limits: { licenses: 100, members: 3 } });
}

async function createDemoApiKey(services: Services, tenantId: string): Promise<string> {
  const { key } = await issueApiKey(services, { id: tenantId }, systemActor, { name: 'Demo' });
  return key;
}

/** A key for copies of the application that nobody has paid for yet; an application that is shipped contains it. */
async function createTrialKey(services: Services, tenantId: string): Promise<string> {
  const input = { name: 'Demo: starts trials', scopes: ['trials:create' as const] };
  return (await issueApiKey(services, { id: tenantId }, systemActor, input)).key;
}

/** Random per installation: a well-known password would stay valid if the data is later served to a network. */
function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Creates a `super_admin` with a random password. */
async function createDemoAdmin(services: Services): Promise<DemoAccount> {
  const password = newPassword();
  const create = (email: string) =>
    createAdminWithPassword(services, systemActor, { email, name: 'Demo Admin', role: 'super_admin', password });
  try {
    return { email: (await create('admin@demo.example')).email, password };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ADMIN.EMAIL_TAKEN')) throw error;
    // An earlier demo created this admin, and its password is lost.
    const suffix = randomBytes(2).toString('hex');
    return { email: (await create(`admin-${suffix}@demo.example`)).email, password };
  }
}

/** Creates the tenant's owner. An existing user with that address gets the new password. */
async function createDemoUser({ clock, platform }: Services): Promise<DemoAccount> {
  const email = 'owner@demo.example';
  const password = newPassword();
  const person = { email, name: 'Demo Owner', passwordHash: await hashPassword(password), at: clock.now() };
  await platform.transaction((tx) => admitProvenUser(tx, person));
  return { email, password };
}
