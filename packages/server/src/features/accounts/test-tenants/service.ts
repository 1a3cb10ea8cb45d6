import { isUniqueViolation } from '../../../db/errors.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { assertTenantActive, findTenantRecord } from '../../../tenancy/tenant-record.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { addMember, listMembersToCopy } from '../memberships/service.ts';
import { purgeTenant } from '../tenants/archive-service.ts';
import { admitTenant, findTestTenant, lockTenant, tenantNotFound, updateTenant } from '../tenants/service.ts';
import { freePlanCode, type StoredOverrides } from '../tenants/tenant.ts';
import { copyConfiguration } from './copy.ts';
import type { TestTenant, TestTenantState } from './schemas.ts';

/** The limits of every test tenant: enough to try everything, too little to sell with. */
const testLimits: StoredOverrides = {
  products: null,
  licenses: 100,
  activations: 100,
  api_keys: 5,
  webhooks: null,
  members: null,
  integration_requests_per_minute: 300,
};

const nameLengthMax = 100;

/** Returns whether a tenant is a test copy, or has one. */
export async function readTestTenant({ platform }: Services, tenantId: string): Promise<TestTenantState> {
  const record = await findTenantRecord(platform, tenantId);
  const test_tenant = (await findTestTenant(platform.query, tenantId)) ?? null;
  return { live_tenant_id: record?.live_tenant_id ?? null, test_tenant };
}

/**
 * Creates the test copy of a tenant, for the same members with the same roles, or returns the one that it has. The copy
 * is visible only when it is complete. Throws 409 `TEST_TENANT.NOT_LIVE` for a test tenant.
 */
export async function createTestTenant(
  services: Services,
  tenant: Tenant,
  actor: Actor,
): Promise<{ readonly test: TestTenant; readonly isNew: boolean }> {
  const state = await readTestTenant(services, tenant.id);
  if (state.live_tenant_id !== null) {
    throw new AppError('TEST_TENANT.NOT_LIVE', 'This is a test tenant already. Create the copy in its live tenant.');
  }
  if (state.test_tenant !== null) return { test: state.test_tenant, isNew: false };
  try {
    const test = await copyTenant(services, tenant, actor);
    await completeTenantAudit(services, test.id);
    await completeTenantAudit(services, tenant.id);
    return { test, isNew: true };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another request has created it meanwhile.
    const { test_tenant } = await readTestTenant(services, tenant.id);
    if (test_tenant === null) throw error;
    return { test: test_tenant, isNew: false };
  }
}

function copyTenant(services: Services, { id: liveTenantId, name, db }: Tenant, actor: Actor): Promise<TestTenant> {
  const { clock, keyring, platform, provisioning } = services;
  const suffix = ' (test)';
  const testName = `${name.slice(0, nameLengthMax - suffix.length)}${suffix}`;
  return provisioning.provision(async (placement) => {
    await provisioning.steps.withDatabase(placement, (to) => copyConfiguration(keyring, db, to));
    return await platform.transaction(async (tx) => {
      // Locked, so that the tenant is not suspended or closed before it has the copy.
      const live = orThrow(await lockTenant(tx, liveTenantId), tenantNotFound);
      assertTenantActive(live);
      const at = clock.now();
      const test = { liveTenantId, limits: testLimits };
      const row = await admitTenant(tx, actor, { placement, name: testName, planCode: freePlanCode, at, test });
      for (const { role, ...user } of await listMembersToCopy(tx, liveTenantId)) {
        await addMember(tx, actor, { id: newId(), tenantId: row.id, user, role, at });
      }
      const entry = { event: 'TEST_TENANT.CREATED', resourceType: 'tenant', resourceId: row.id, at };
      await recordTenantAudit(tx, liveTenantId, actor, entry);
      return { id: row.id, name: row.name, created_at: row.created_at };
    });
  });
}

/**
 * Deletes the test copy of a tenant, or the tenant itself if it is one, with everything in it, and returns its id. A live
 * tenant is never deleted. Throws 404 `TENANT.NOT_FOUND` for a tenant without a test copy.
 */
export async function deleteTestTenant(services: Services, tenantId: string, actor: Actor): Promise<string> {
  const { live_tenant_id, test_tenant } = await readTestTenant(services, tenantId);
  const testId = orThrow(live_tenant_id === null ? test_tenant?.id : tenantId, tenantNotFound);
  const liveTenantId = live_tenant_id ?? tenantId;
  await updateTenant(services, actor, testId, { status: 'closed' });
  await purgeTenant(services, actor, testId, { force: true });
  await services.platform.transaction(async (tx) => {
    // The live tenant may have been purged.
    if ((await lockTenant(tx, liveTenantId)) === undefined) return;
    const at = services.clock.now();
    const entry = { event: 'TEST_TENANT.DELETED', resourceType: 'tenant', resourceId: testId, at };
    await recordTenantAudit(tx, liveTenantId, actor, entry);
  });
  await completeTenantAudit(services, liveTenantId);
  return testId;
}
