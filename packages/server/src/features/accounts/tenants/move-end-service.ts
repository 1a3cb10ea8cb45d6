import { findSeal, removeSeal } from '../../../db/copy/seal.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { openTenantDatabases } from '../../../tenancy/open-tenant-databases.ts';
import { isSamePlacement, type Placement } from '../../../tenancy/placement.ts';
import type { TenantDatabases } from '../../../tenancy/tenant-databases.ts';
import { releaseInterruptedAttempts } from '../../tenant-core/idempotency/service.ts';
import { findPlacedTenant } from './archive-queries.ts';
import { changeMove, listAbandonedMoves } from './move-queries.ts';
import { lockTenant } from './queries.ts';

type MoveState = Pick<TenantsTable, 'move_id' | 'writes_paused_until'>;

/** Returns a new id of 32 hexadecimal digits. It has no hyphens because it is part of trigger names. */
export function newMoveId(): string {
  return newId().replaceAll('-', '');
}

/** Returns true while a command moves the tenant and keeps renewing its lease. */
export function isMoving({ move_id, writes_paused_until }: MoveState, now: Timestamp): boolean {
  return move_id !== null && writes_paused_until !== null && writes_paused_until > now;
}

/** Throws 409 `TENANT.TRANSITION_INVALID` while the tenant is being moved. */
export function assertNotMoving(tenant: MoveState, clock: Pick<Clock, 'now'>): void {
  if (!isMoving(tenant, clock.now())) return;
  throw new AppError(
    'TENANT.TRANSITION_INVALID',
    'The tenant is being moved by another command. Wait until it ends. If it crashed, wait 30 seconds and try again.',
  );
}

/** The services that moving a tenant and ending a move need. */
export type MoveEndServices = Pick<
  Services,
  'clock' | 'config' | 'connections' | 'keyring' | 'platform' | 'seedTenant'
>;

/**
 * Ends a tenant's move if `isOver` returns true for it, so that the tenant's database accepts writes again. Safe beside
 * a mover that is only slow, because that mover can no longer switch the placement. Safe beside a newer move, because
 * only the seal that was read before is removed. Can be repeated: the next call completes one that crashed.
 */
export async function endMove(
  { platform, clock }: Pick<MoveEndServices, 'platform' | 'clock'>,
  databases: TenantDatabases,
  tenantId: string,
  isOver: (move: MoveState) => boolean,
): Promise<void> {
  const seen = await findPlacedTenant(platform, tenantId);
  if (seen === undefined) return;
  // Read before the row is locked, so that the seal cannot belong to a later move.
  const sealId = await sealOf(databases, seen);
  const endId = newMoveId();
  const isTaken = await platform.transaction(async (tx) => {
    const row = await lockTenant(tx, tenantId);
    if (row === undefined || !isOver(row) || !isSamePlacement(row, seen)) return false;
    return await changeMove(tx, tenantId, row.move_id, { move_id: endId, writes_paused_until: clock.now() });
  });
  if (!isTaken) return;
  if (sealId !== undefined) await unseal(databases, seen, sealId);
  await changeMove(platform.query, tenantId, endId, { move_id: null, writes_paused_until: null });
}

async function sealOf(databases: TenantDatabases, placement: Placement): Promise<string | undefined> {
  const database = databases.connect(placement);
  try {
    return await findSeal(database);
  } finally {
    await database.close();
  }
}

async function unseal(databases: TenantDatabases, placement: Placement, sealId: string): Promise<void> {
  const database = databases.connect(placement);
  try {
    await database.transaction(async (tx) => {
      await removeSeal(tx, sealId);
      await releaseInterruptedAttempts(tx);
    });
  } finally {
    await database.close();
  }
}

/** Ends the moves whose commands crashed. If a tenant's database is unavailable, the next call tries it again. */
export async function endAbandonedMoves(services: MoveEndServices & Pick<Services, 'logger'>): Promise<void> {
  const { clock, logger, platform } = services;
  const tenantIds = await listAbandonedMoves(platform, clock.now());
  if (tenantIds.length === 0) return;
  const databases = openTenantDatabases(services.config, services);
  for (const tenant_id of tenantIds) {
    try {
      await endMove(services, databases, tenant_id, (row) => row.move_id !== null && !isMoving(row, clock.now()));
      logger.warn({ tenant_id }, 'undid an abandoned move of this tenant; run "licensing tenants move" again');
    } catch (error) {
      logger.warn(
        { err: error, tenant_id },
        'undoing an abandoned move of this tenant failed; retrying in the next check',
      );
    }
  }
}
