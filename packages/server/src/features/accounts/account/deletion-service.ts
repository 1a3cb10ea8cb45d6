import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { AccountDeletionsTable } from '../../../db/tables/platform/account.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { enqueueJob } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { deletionScheduledMail } from '../../../mail/templates/account.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockAccount } from '../identity/profile-service.ts';
import { lockMembershipsOf } from '../memberships/leaving-service.ts';
import { deletionJobKind } from './job-kinds.ts';
import { deleteDeletion, findDeletion, insertDeletion, lockDeletion } from './queries.ts';

type DeletionServices = Pick<Services, 'clock' | 'config' | 'wakeUps' | 'mail' | 'platform'>;

/** The days between the request and the erasure, in which the user can cancel the deletion. */
const graceDays = 30;

/**
 * Schedules the erasure of a user in 30 days and returns its time. If a deletion is already scheduled, its time stays.
 * Throws 409 `ACCOUNT.LAST_OWNER` while an active tenant has no other owner who can log in.
 */
export async function scheduleDeletion(
  services: DeletionServices,
  actor: Actor,
  user: AuthenticatedUser,
): Promise<Timestamp> {
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
    await insertDeletion(tx, { ...row, postponed_at: null, tenant_cursor: null });
    await enqueueJob(tx, { subjectId: user.id, kind: deletionJobKind, dueAt: scheduled_for }, at);
    const changes = [{ field: 'deletion_scheduled_for', old: null, new: scheduled_for }];
    await recordPlatformAudit(tx, actor, { ...auditOf(user.id, 'ACCOUNT.DELETION_SCHEDULED'), changes, at });
    await mail.enqueue(tx, deletionScheduledMail({ to: user.email, ...config, scheduledFor: scheduled_for }));
    return scheduled_for;
  });
  mail.kick();
  return scheduledFor;
}

/** Returns the deletion of a user, scheduled or in progress; undefined if there is none. */
export function deletionOf(
  platform: PlatformDb,
  userId: string,
): Promise<Pick<AccountDeletionsTable, 'phase' | 'scheduled_for'> | undefined> {
  return findDeletion(platform, userId);
}

/** Returns true once the erasure of a user has started, which nothing can undo. The caller has locked the user. */
export async function isBeingErased(tx: PlatformTransaction, userId: string): Promise<boolean> {
  const deletion = await lockDeletion(tx, userId);
  return deletion !== undefined && deletion.phase !== 'scheduled';
}

/** Cancels a scheduled deletion. Does nothing if none is scheduled or if the erasure has started. */
export async function cancelDeletion(
  { clock, platform }: Pick<Services, 'clock' | 'platform'>,
  actor: Actor,
  userId: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    const deletion = await lockDeletion(tx, userId);
    if (deletion?.phase !== 'scheduled') return;
    await deleteDeletion(tx, userId);
    const changes = [{ field: 'deletion_scheduled_for', old: deletion.scheduled_for, new: null }];
    const entry = { ...auditOf(userId, 'ACCOUNT.DELETION_CANCELLED'), changes, at: clock.now() };
    await recordPlatformAudit(tx, actor, entry);
  });
}

function lastOwner(names: readonly string[]): AppError {
  const message = `You are the last owner of ${names.slice(0, 10).join(', ')}. Make another member an owner first.`;
  return new AppError('ACCOUNT.LAST_OWNER', message);
}

function auditOf(id: string, event: string) {
  return { event, resourceType: 'user', resourceId: id };
}
