import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../db/database.ts';
import { findSeal, removeSeal } from '../../../db/seal.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { type Clock, type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { Services, TenantWorkServices } from '../../../services.ts';
import { openTenantDatabases } from '../../../tenancy/open-tenant-databases.ts';
import { databaseGeneration, isSamePlacement, type Placement } from '../../../tenancy/placement.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { TenantDatabases } from '../../../tenancy/tenant-databases.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { releaseInterruptedAttempts } from '../../tenant-core/idempotency/service.ts';
import {
  changeMove,
  findPlacedTenant,
  listAbandonedMoves,
  lockTenant,
  type MoveState,
  noMove,
  type PlacedTenant,
  setPlacement,
} from './queries.ts';
import { tenantNotFound } from './service.ts';

/** The lease of a move. When a mover crashes, the tenant is writable again after this time. */
const leaseMs = 30_000;
const renewEveryMs = 5_000;
/** The wait after the pause in which nearly all requests in flight end; the others wait for the database's lock. */
const drainMs = 100;

/** The claim of a move on the tenant's row: only the move with the id in the row may switch the placement. */
export class MoveClaim {
  readonly id: string;
  readonly #services: Services;
  readonly #tenant: PlacedTenant;
  #isPaused = false;
  #isLost = false;

  constructor(services: Services, tenant: PlacedTenant, id: string) {
    this.#services = services;
    this.#tenant = tenant;
    this.id = id;
  }

  /** Claims the tenant and renews the lease until the returned function is called. Writes continue. */
  async begin(): Promise<() => void> {
    const { platform, clock } = this.#services;
    await platform.transaction(async (tx) => {
      const row = orThrow(await lockTenant(tx, this.#tenant.id), tenantNotFound);
      assertNotMoving(row, clock);
      if (row.move_id !== null || !isSamePlacement(row, this.#tenant)) throw interrupted();
      await changeMove(tx, this.#tenant.id, null, this.#state());
    });
    const renewal = setInterval(() => void this.#renewInTime(), renewEveryMs);
    return () => clearInterval(renewal);
  }

  /** True once a renewal found that another command has ended this move. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async #renewInTime(): Promise<void> {
    try {
      this.#isLost ||= !(await this.#renew());
    } catch (error) {
      // The lease lasts for several renewals. If it ends, the switch fails.
      const message = 'the lease of a move could not be renewed; retrying in 5 s';
      this.#services.logger.warn({ err: error, tenant_id: this.#tenant.id }, message);
    }
  }

  #renew(): Promise<boolean> {
    return changeMove(this.#services.platform.query, this.#tenant.id, this.id, this.#state());
  }

  /** Renews the lease. Throws if another command has ended this move. */
  async assertHeld(): Promise<void> {
    if (this.#isLost || !(await this.#renew())) throw interrupted();
  }

  /** Makes every surface refuse writes from now on, and waits for the requests in flight. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.assertHeld();
    await delay(drainMs);
  }

  /** Ends the pause; the claim remains. */
  async resume(): Promise<void> {
    this.#isPaused = false;
    await this.assertHeld();
  }

  /** Makes all requests use the other database, which ends the pause and the claim. */
  async switchTo(target: Placement, actor: Actor): Promise<void> {
    const { platform, clock } = this.#services;
    await platform.transaction(async (tx) => {
      const row = await lockTenant(tx, this.#tenant.id);
      if (row?.move_id !== this.id || !isSamePlacement(row, this.#tenant)) throw interrupted();
      const at = clock.now();
      await setPlacement(tx, target, at);
      const changes = [{ field: 'placement', old: this.#tenant.placement, new: target.placement }];
      const entry = { event: 'TENANT.MOVED', resourceType: 'tenant', resourceId: this.#tenant.id, changes, at };
      await recordPlatformAudit(tx, actor, entry);
    });
  }

  #state() {
    const leaseEnd = toTimestamp(this.#services.clock.nowMs() + leaseMs);
    return { move_id: this.id, move_expires_at: leaseEnd, writes_paused_until: this.#isPaused ? leaseEnd : null };
  }
}

/** The error of a move whose claim another command has taken. */
export function interrupted(): Error {
  return new Error('Another command changed the placement of the tenant. Nothing was moved. Run the command again.');
}

/** The length of a `databaseGeneration`. */
const generationLength = 12;

/**
 * Returns a new id of 32 hexadecimal digits: the generation of the database that the move creates, and random digits. It
 * has no hyphens because it is part of trigger names.
 */
export function newMoveId(nowMs: number): string {
  return withRandomDigits(databaseGeneration(nowMs));
}

function withRandomDigits(generation: string): string {
  return generation + randomBytes(10).toString('hex');
}

/** Returns the generation of the database that a move creates. */
export function generationOf(moveId: string): string {
  return moveId.slice(0, generationLength);
}

/** Returns true while a command moves the tenant and keeps renewing its lease. */
export function isMoving({ move_id, move_expires_at, writes_paused_until }: MoveState, now: Timestamp): boolean {
  // A move by an earlier version of the program only has the end of the pause.
  const ends = [move_expires_at, writes_paused_until];
  return move_id !== null && ends.some((end) => end !== null && end > now);
}

/** Throws 409 `TENANT.TRANSITION_INVALID` while the tenant is being moved. */
export function assertNotMoving(tenant: MoveState, clock: Pick<Clock, 'now'>): void {
  if (!isMoving(tenant, clock.now())) return;
  throw new AppError(
    'TENANT.TRANSITION_INVALID',
    'The tenant is being moved by another command. Wait until it ends. If it crashed, wait 30 seconds and try again.',
  );
}

/**
 * Ends a tenant's move if `isOver` returns true for it: the tenant's database accepts writes again, and the database
 * that the move created is removed. Returns false if `isOver` returns false. Safe beside a mover that is only slow,
 * because that mover can no longer switch the placement. Safe beside a newer move, because only the seal that was read
 * before is removed. Can be repeated: the next call completes one that crashed or failed.
 */
export async function endMove(
  { platform, clock }: Services,
  databases: TenantDatabases,
  tenantId: string,
  isOver: (move: MoveState) => boolean,
): Promise<boolean> {
  const seen = await findPlacedTenant(platform, tenantId);
  if (seen === undefined || !isOver(seen)) return false;
  // Read before the row is locked, so that it cannot belong to a later move.
  const sealId = await inDatabase(databases, seen, findSeal);
  if (seen.move_id === null && sealId === undefined) return false;
  const generation = generationOf(seen.move_id ?? databaseGeneration(clock.nowMs()));
  const endId = withRandomDigits(generation);
  const isTaken = await platform.transaction(async (tx) => {
    const row = await lockTenant(tx, tenantId);
    if (row === undefined || !isOver(row) || !isSamePlacement(row, seen) || row.move_id !== seen.move_id) return false;
    const at = clock.now();
    const pausedUntil = row.writes_paused_until === null ? null : at;
    const ended = { move_id: endId, move_expires_at: at, writes_paused_until: pausedUntil };
    return await changeMove(tx, tenantId, row.move_id, ended);
  });
  if (!isTaken) return false;
  if (sealId !== undefined) {
    await inDatabase(databases, seen, (database) => removeSeal(database, sealId, releaseInterruptedAttempts));
  }
  if (seen.move_id !== null) await databases.dropGeneration(tenantId, generation);
  await changeMove(platform.query, tenantId, endId, noMove);
  return true;
}

/** Runs `work` on a tenant's database, which it neither verifies nor migrates. */
export async function inDatabase<Result>(
  databases: TenantDatabases,
  placement: Placement,
  work: (database: Database<TenantTables>) => Promise<Result>,
): Promise<Result> {
  const database = databases.connect(placement);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Ends the moves whose commands crashed. If a tenant's database is unavailable, the next call tries it again. */
export async function endAbandonedMoves(services: Services & TenantWorkServices): Promise<void> {
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
