import { issueApiKey, revokeApiKey } from '../../../features/accounts/api-keys/service.ts';
import { findOrCreateUser } from '../../../features/accounts/identity/account-service.ts';
import { addMember } from '../../../features/accounts/memberships/service.ts';
import { createLicense } from '../../../features/licensing/licenses/service.ts';
import { completeTenantAudit } from '../../../features/tenant-core/audit-outbox/service.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../../../tenancy/tenant-record.ts';
import { demoHolder, openDemoPortal } from '../portal.ts';
import { createDemoCatalog } from './catalog.ts';
import { writeHistory } from './history.ts';
import { dayMs, type Present, servicesAt } from './past.ts';
import type { Random } from './random.ts';
import { createDemoReleases, issueOldLicense } from './releases.ts';
import { createDemoShop } from './shop.ts';
import { createDemoMembers, createDemoTenant, type DemoMember, demoPlanCode } from './tenant.ts';

/** The days since the demo's vendor signed up. */
const companyDays = 415;

const members: readonly DemoMember[] = [
  { name: 'Kim Berg (demo)', email: 'kim@demo.example', role: 'owner' },
  { name: 'Sam Ortega (demo)', email: 'sam@demo.example', role: 'admin' },
  { name: 'Lee Fontaine (demo)', email: 'lee@demo.example', role: 'viewer' },
];

/** Creates the demo's vendor with its catalog, history and API keys. Returns what the instructions print. */
export async function createDemoCompany(
  services: Services,
  present: Present,
  random: Random,
  ownerEmail: string,
): Promise<{ readonly id: string; readonly licenseKey: string; readonly keyIds: readonly string[] }> {
  const founded = servicesAt(services, present.nowMs - companyDays * dayMs);
  const id = await createDemoTenant(founded, 'Demo Company', demoPlanCode);
  const ownerId = await joinAsOwner(founded, id, ownerEmail);
  const people = await createDemoMembers(founded, userActor(ownerId), id, members);
  const managers = [ownerId, ...people.slice(0, 2)].map(userActor);
  const keyIds = await createApiKeys(services, present, id, managers[1] ?? systemActor);
  const software: Actor = { type: 'api_key', id: keyIds[0] ?? null, requestId: null, ip: '203.0.113.7' };
  const licenseKey = await services.tenants.withTenantDb(id, async (db) => {
    const record = await findTenantRecord(services.platform, id);
    if (record === undefined) throw new Error('The demo tenant was deleted during the start: start the demo again.');
    const tenant = tenantOf(record, db);
    const catalog = await createDemoCatalog(services, tenant, userActor(ownerId), present.nowMs);
    await createDemoReleases(services, tenant, userActor(ownerId), { present, catalog });
    await issueOldLicense(services, tenant, userActor(ownerId), { present, catalog });
    await writeHistory(services, tenant, { random, present, catalog, managers, software });
    const lately = servicesAt(services, present.nowMs - 2 * 60_000);
    const input = { policy_id: catalog.perpetual.id, holder: demoHolder, metadata: { demo: true } };
    const { key } = await createLicense(lately, tenant, userActor(ownerId), input);
    await openDemoPortal(lately, tenant, userActor(ownerId));
    await createDemoShop(services, tenant, userActor(ownerId), { present, catalog });
    return key;
  });
  return { id, licenseKey, keyIds };
}

function userActor(id: string): Actor {
  return { type: 'user', id, requestId: null, ip: '192.0.2.10' };
}

/** Makes the demo's user the owner of a tenant. Only the demo may skip the invitation. */
export async function joinAsOwner(services: Services, tenantId: string, email: string): Promise<string> {
  const id = await services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const userId = await findOrCreateUser(tx, { id: newId(), email, name: 'Demo Owner', at });
    await addMember(tx, systemActor, { id: newId(), tenantId, user: { id: userId, email }, role: 'owner', at });
    return userId;
  });
  await completeTenantAudit(services, tenantId);
  return id;
}

/** Creates API keys beside the one that the instructions print: two in use, an expired one and a revoked one. */
async function createApiKeys(services: Services, present: Present, tenantId: string, actor: Actor): Promise<string[]> {
  const issue = async (daysAgo: number, name: string, expires_at?: string) => {
    const then = servicesAt(services, present.nowMs - daysAgo * dayMs);
    const { row } = await issueApiKey(then, { id: tenantId }, actor, { name, ...(expires_at && { expires_at }) });
    return row.id;
  };
  const ids = [
    await issue(398, 'Editor, shipped'),
    await issue(350, 'Render Server'),
    await issue(190, 'Demo: test system', present.ago(100)),
    await issue(390, 'Demo: leaked key'),
  ];
  const revoked = ids[3];
  if (revoked !== undefined) {
    const then = servicesAt(services, present.nowMs - 260 * dayMs);
    await services.tenants.withTenantDb(tenantId, async (db) => {
      const record = await findTenantRecord(services.platform, tenantId);
      if (record !== undefined) await revokeApiKey(then, tenantOf(record, db), actor, revoked);
    });
  }
  return ids;
}
