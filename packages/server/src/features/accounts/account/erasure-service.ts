import { DatabaseUnavailableError } from '../../../db/errors.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { deletionPostponedMail } from '../../../mail/templates/account.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import type { Person } from '../../tenant-core/personal-data/personal-data.ts';
import { disableUser, findPerson, lockAccount } from '../identity/profile-service.ts';
import { endMemberships, lockMembershipsOf } from '../memberships/leaving-service.ts';
import { deleteDeletion, findDeletion, findTenantAfter, lockDeletion, updateDeletion } from './queries.ts';

/**
 * Erases a user whose scheduled deletion is due. The steps are: disable the user, erase the personal data in every
 * tenant's database, erase it in the platform database, and remove the deleted rows from the database files. A later
 * run continues an interrupted one. Returns the time at which to continue, or null if nothing is left to do.
 */
export async function runDeletion(services: Services, userId: string, signal: AbortSignal): Promise<Timestamp | null> {
  const { clock, platform } = services;
  const deletion = await findDeletion(platform, userId);
  if (deletion === undefined) return null;
  if (deletion.phase === 'scheduled') {
    if (deletion.scheduled_for > clock.now()) return deletion.scheduled_for;
    const postponedTo = await startErasure(services, userId);
    if (postponedTo !== undefined) return postponedTo;
  }
  const person = await findPerson(platform, userId);
  if (person !== undefined) {
    const isDone = await eraseInTenants(services, person, deletion.tenant_cursor, signal);
    if (!isDone) return clock.now();
    await eraseInPlatform(services, person);
  }
  await platform.forgetDeleted({ rebuild: true });
  await deleteDeletion(platform.query, userId);
  return null;
}

/**
 * Disables the user and ends the memberships. If a tenant would be left without an owner, postpones the erasure by a
 * day instead. Returns the time to which it is postponed, or undefined if it has started.
 */
async function startErasure(services: Services, userId: string): Promise<Timestamp | undefined> {
  const { clock, config, mail, platform } = services;
  const postponedTo = await platform.transaction(async (tx) => {
    const { memberships, orphaned } = await lockMembershipsOf(tx, userId);
    const user = await lockAccount(tx, userId);
    const deletion = await lockDeletion(tx, userId);
    const at = clock.now();
    if (deletion?.phase !== 'scheduled' || deletion.scheduled_for > at) return deletion?.scheduled_for ?? at;
    if (orphaned.length > 0 && user !== undefined) {
      const scheduled_for = addDays(at, 1);
      await updateDeletion(tx, userId, { scheduled_for, postponed_at: deletion.postponed_at ?? at });
      if (deletion.postponed_at === null) {
        const tenantNames = orphaned.map(({ name }) => name);
        await mail.enqueue(tx, deletionPostponedMail({ to: user.email, ...config, tenantNames }));
      }
      return scheduled_for;
    }
    await endMemberships(tx, memberships, at);
    await disableUser(tx, userId, at);
    await updateDeletion(tx, userId, { phase: 'erasing' });
    return undefined;
  });
  mail.kick();
  return postponedTo;
}

/**
 * Erases the person's data in the databases of all tenants after `cursor`, because the person may have been a member of
 * any of them. Returns false if the run was aborted before the end.
 */
async function eraseInTenants(
  services: Services,
  person: Person,
  cursor: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const { platform } = services;
  let last = cursor;
  for (;;) {
    const tenantId = await findTenantAfter(platform, last);
    if (tenantId === undefined) return true;
    if (signal.aborted) return false;
    await eraseInTenant(services, person, tenantId);
    await updateDeletion(platform.query, person.id, { tenant_cursor: tenantId });
    last = tenantId;
  }
}

async function eraseInTenant(services: Services, person: Person, tenantId: string): Promise<void> {
  // Audit records that are still in the outbox would be written to the tenant's log after the erasure.
  if (!(await completeTenantAudit(services, tenantId))) {
    throw new DatabaseUnavailableError(`Audit records are still queued for the database of tenant ${tenantId}.`);
  }
  await services.tenants.withTenantDb(tenantId, async (db) => {
    let changed = false;
    for (const data of services.personalData.tenant) changed = (await data.erase(db, person)) || changed;
    // Called even without a change: an earlier run may have been interrupted between the deletion and this call.
    await db.forgetDeleted({ rebuild: changed });
  });
}

async function eraseInPlatform(services: Services, person: Person): Promise<void> {
  const { clock, personalData, platform } = services;
  for (const data of personalData.platform) await data.eraseBefore?.(services, person);
  await platform.transaction(async (tx) => {
    // Another run may have completed this step already.
    if ((await lockDeletion(tx, person.id))?.phase !== 'erasing') return;
    for (const data of personalData.platform) await data.erase(tx, person);
    await updateDeletion(tx, person.id, { phase: 'cleaning' });
    const entry = { event: 'ACCOUNT.DELETED', resourceType: 'user', resourceId: person.id, at: clock.now() };
    await recordPlatformAudit(tx, systemActor, entry);
  });
}
