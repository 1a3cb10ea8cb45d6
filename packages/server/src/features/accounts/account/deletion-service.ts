import type { PlatformTransaction } from '../../../db/database.ts';
import { DatabaseUnavailableError } from '../../../db/errors.ts';
import { deleteRows, insertRow, updateRows } from '../../../db/rows.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { deletionPostponedMail, deletionScheduledMail } from '../../../mail/templates/account.ts';
import type { PlatformServices, Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { auditsOf, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import type { Person } from '../../tenant-core/personal-data/personal-data.ts';
import { disableUser, findPerson, lockAccount } from '../identity/account-service.ts';
import { admitsNotice } from '../identity/notices.ts';
import { endMemberships, lockMembershipsOf } from '../memberships/service.ts';
import { findDeletion, findTenantAfter, lockDeletion } from './queries.ts';

export { findDeletion } from './queries.ts';

const auditOf = auditsOf('user');

/** Erases a user at the scheduled time. The job's subject is the user's id. */
export const deletionJobKind = 'account-deletion';

/** The days between the request and the erasure, in which the user can cancel the deletion. */
const graceDays = 30;

/**
 * Schedules the erasure of a user in 30 days and returns its time. If a deletion is already scheduled, its time stays.
 * Throws 409 `ACCOUNT.LAST_OWNER` while an active tenant has no other owner who can log in.
 */
export async function scheduleDeletion(services: Services, actor: Actor, user: AuthenticatedUser): Promise<Timestamp> {
  const { clock, config, mail, platform } = services;
  const scheduledFor = await platform.transaction(async (tx) => {
    const { orphaned } = await lockMembershipsOf(tx, user.id);
    await lockAccount(tx, user.id);
    const known = await lockDeletion(tx, user.id);
    if (known !== undefined) return known.scheduled_for;
    if (orphaned.length > 0) throw lastOwner(orphaned.map(({ name }) => name));
    const at = clock.now();
    const scheduled_for = addDays(at, graceDays);
    const row = { user_id: user.id, phase: 'scheduled', requested_at: at, scheduled_for } as const;
    await insertRow(tx, 'account_deletions', { ...row, postponed_at: null, tenant_cursor: null });
    await enqueueJob(tx, { subjectId: user.id, kind: deletionJobKind, dueAt: scheduled_for }, at);
    const changes = [{ field: 'deletion_scheduled_for', old: null, new: scheduled_for }];
    await recordPlatformAudit(tx, actor, { ...auditOf(user.id, 'ACCOUNT.DELETION_SCHEDULED'), changes, at });
    const notice = deletionScheduledMail({ to: user.email, ...config, scheduledFor: scheduled_for });
    if (await admitsNotice(services, tx, user)) await mail.enqueue(tx, notice);
    return scheduled_for;
  });
  mail.kick();
  return scheduledFor;
}

/** Returns true once the erasure of a user has started, which nothing can undo. The caller has locked the user. */
export async function isBeingErased(tx: PlatformTransaction, userId: string): Promise<boolean> {
  const deletion = await lockDeletion(tx, userId);
  return deletion !== undefined && deletion.phase !== 'scheduled';
}

/** Cancels a scheduled deletion. Does nothing if none is scheduled or if the erasure has started. */
export async function cancelDeletion(
  { clock, platform }: PlatformServices,
  actor: Actor,
  userId: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    const deletion = await lockDeletion(tx, userId);
    if (deletion?.phase !== 'scheduled') return;
    await deleteRows(tx, 'account_deletions', { user_id: userId });
    const changes = [{ field: 'deletion_scheduled_for', old: deletion.scheduled_for, new: null }];
    const entry = { ...auditOf(userId, 'ACCOUNT.DELETION_CANCELLED'), changes, at: clock.now() };
    await recordPlatformAudit(tx, actor, entry);
  });
}

function lastOwner(names: readonly string[]): AppError {
  const message = `You are the last owner of ${names.slice(0, 10).join(', ')}. Make another member an owner first.`;
  return new AppError('ACCOUNT.LAST_OWNER', message);
}

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
  await deleteRows(platform.query, 'account_deletions', { user_id: userId });
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
      await updateRows(
        tx,
        'account_deletions',
        { user_id: userId },
        { scheduled_for, postponed_at: deletion.postponed_at ?? at },
      );
      if (deletion.postponed_at === null) {
        const tenantNames = orphaned.map(({ name }) => name);
        await mail.enqueue(tx, deletionPostponedMail({ to: user.email, ...config, tenantNames }));
      }
      return scheduled_for;
    }
    await endMemberships(tx, memberships, at);
    await disableUser(tx, userId, at);
    await updateRows(tx, 'account_deletions', { user_id: userId }, { phase: 'erasing' });
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
    await updateRows(platform.query, 'account_deletions', { user_id: person.id }, { tenant_cursor: tenantId });
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
    await updateRows(tx, 'account_deletions', { user_id: person.id }, { phase: 'cleaning' });
    const entry = { event: 'ACCOUNT.DELETED', resourceType: 'user', resourceId: person.id, at: clock.now() };
    await recordPlatformAudit(tx, systemActor, entry);
  });
}
