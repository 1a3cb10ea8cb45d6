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
 * Erases a user whose time has come, in steps that a later run goes on with: access ends, then every tenant's database
 * is gone through, then the platform's, then the files are cleaned of what was deleted. Answers when to go on; null when
 * nothing is left, or nothing is to be done.
 */
export async function runDeletion(services: Services, userId: string, signal: AbortSignal): Promise<Timestamp | null> {
  const { clock, platform } = services;
  const deletion = await findDeletion(platform, userId);
  if (deletion === undefined) return null;
  if (deletion.phase === 'scheduled') {
    if (deletion.scheduled_for > clock.now()) return deletion.scheduled_for;
    const putOffTo = await beginErasure(services, userId);
    if (putOffTo !== undefined) return putOffTo;
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

/** Ends every access, or puts the erasure off when a tenant would have no owner. Undefined: it has begun. */
async function beginErasure(services: Services, userId: string): Promise<Timestamp | undefined> {
  const { clock, config, mail, platform } = services;
  const putOffTo = await platform.transaction(async (tx) => {
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
  return putOffTo;
}

/** Goes through the databases of all tenants: the person can have been a member of any. False: stopped before the end. */
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
  // What waits for the tenant's log would bring the person back.
  if (!(await completeTenantAudit(services, tenantId))) {
    throw new DatabaseUnavailableError(`Audit records wait for the database of tenant ${tenantId}.`);
  }
  await services.tenants.withTenantDb(tenantId, async (db) => {
    let changed = false;
    for (const data of services.personalData.tenant) changed = (await data.erase(db, person)) || changed;
    // Without a change too: it can be that of a run which was ended before this.
    await db.forgetDeleted({ rebuild: changed });
  });
}

async function eraseInPlatform(services: Services, person: Person): Promise<void> {
  const { clock, personalData, platform } = services;
  for (const data of personalData.platform) await data.eraseBefore?.(services, person);
  await platform.transaction(async (tx) => {
    // Another run can have come to this before.
    if ((await lockDeletion(tx, person.id))?.phase !== 'erasing') return;
    for (const data of personalData.platform) await data.erase(tx, person);
    await updateDeletion(tx, person.id, { phase: 'cleaning' });
    const entry = { event: 'ACCOUNT.DELETED', resourceType: 'user', resourceId: person.id, at: clock.now() };
    await recordPlatformAudit(tx, systemActor, entry);
  });
}
