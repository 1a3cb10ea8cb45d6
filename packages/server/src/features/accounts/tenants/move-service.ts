import { setTimeout as delay } from 'node:timers/promises';
import { type MigrationGuard, quoted, type Snapshot } from '../../../db/archive/tables.ts';
import { isLockedOut, isSqliteBusy, isUnavailable } from '../../../db/errors.ts';
import { NewerSchemaError } from '../../../db/migrations/migrate.ts';
import { tenantMigrations } from '../../../db/migrations/tenant/index.ts';
import { removeSeal, seal } from '../../../db/seal.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { streamTenant } from '../../../tenancy/archive/export.ts';
import { loadStreamedTenant } from '../../../tenancy/archive/import.ts';
import type { ArchiveProgress } from '../../../tenancy/archive/progress.ts';
import { transfer } from '../../../tenancy/archive/transfer.ts';
import { openTenantDatabases } from '../../../tenancy/open-tenant-databases.ts';
import { embeddedPlacement, isSamePlacement, type Placement } from '../../../tenancy/placement.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { TenantDatabases } from '../../../tenancy/tenant-databases.ts';
import { keepLeasesDuringPause } from '../../licensing/activations/service.ts';
import { releaseInterruptedAttempts } from '../../tenant-core/idempotency/service.ts';
import {
  assertNotMoving,
  endMove,
  generationOf,
  inDatabase,
  interrupted,
  isMoving,
  MoveClaim,
  newMoveId,
} from './move-claim-service.ts';
import { findPlacedTenant, type PlacedTenant } from './queries.ts';
import { tenantNotFound } from './service.ts';

/**
 * How long each attempt to seal a database on PostgreSQL waits for its lock, in milliseconds. The first ones are shorter
 * than `deadlock_timeout` (1 s), so that no writer is aborted by deadlock detection. The later ones are longer, because
 * an autovacuum releases its lock only after that time.
 */
const lockWaitsMs = [700, 700, 700, 1_400, 1_400, 1_400, 1_400, 1_400];
/** How often a move checks whether a migration waits for it. */
const watchEveryMs = 1_000;
/** The time between two pauses, in which the writers that kept the lock may end. */
const retryMs = 2_000;
/** Less than half of the slowest rate that was measured, 9,600 on a busy machine: a pause is usually shorter. */
const slowRowsPerSecond = 4_000;
/** Before the former database is dropped: the minimum wait, the maximum wait for its readers, and the poll interval. */
const formerGraceMs = { least: 2_000, most: 60_000, poll: 500 };

/** The result of a completed move. */
export interface MovedTenant {
  /** The previous placement, which new requests no longer use; see `removeFormer`. */
  readonly former: Placement;
  /** The number of rows. */
  readonly rows: number;
  /** How long writes were refused, in milliseconds. */
  readonly pausedMs: number;
}

interface MoveOptions {
  /** Reports the name of each step and the number of rows. */
  readonly progress: ArchiveProgress;
}

/**
 * Moves the database of a tenant in any status to another place, through a streamed archive. Writes are refused with 503
 * `TENANT.MOVING` until it ends; validations and other reads are answered from the source. The copy contains every
 * acknowledged write. Returns undefined if the tenant is already at the place.
 *
 * If the move fails before the switch, the tenant keeps its database, and the copy is removed: after an error
 * immediately, after a crash once the lease of 30 s has ended (by `endAbandonedMoves` or the next move). Throws 404 `TENANT.NOT_FOUND`, and 409
 * `TENANT.TRANSITION_INVALID` during another move of the tenant.
 */
export async function moveTenant(
  services: Services,
  actor: Actor,
  tenantId: string,
  place: string,
  { progress }: MoveOptions,
): Promise<MovedTenant | undefined> {
  const databases = openTenantDatabases(services.config, services);
  assertPlace(services, databases, place);
  const tenant = orThrow(await findPlacedTenant(services.platform, tenantId), tenantNotFound);
  assertNotMoving(tenant, services.clock);
  await endMove(services, databases, tenantId, (row) => !isMoving(row, services.clock.now()));
  if (tenant.placement === place) return undefined;
  const source = await prepareSource(databases, tenant);
  return await new Move({ services, databases, tenant, place, actor, progress, ...source }).run();
}

/** Migrates a database to the current schema. Returns the name of its last migration and the number of rows. */
async function prepareSource(
  databases: TenantDatabases,
  placement: Placement,
): Promise<{ readonly schema: string; readonly rows: number }> {
  await (await databases.open(placement)).close();
  const snapshot = await databases.readSnapshot(placement);
  try {
    const { schema, tables } = snapshot;
    if (!Object.hasOwn(tenantMigrations, schema)) throw new NewerSchemaError();
    let rows = 0;
    for (const { name } of tables) rows += await snapshot.count({ from: quoted(name) });
    return { schema, rows };
  } finally {
    await snapshot.close();
  }
}

/** Throws for a place that is not configured, and for `embedded` when several nodes may serve. */
function assertPlace({ config }: Services, databases: TenantDatabases, place: string): void {
  if (place === embeddedPlacement && config.databaseUrl !== null) {
    throw new Error(
      'A file can be opened by one machine only, but with DATABASE_URL several nodes may serve. Move the tenant to a ' +
        'server instead.',
    );
  }
  if (databases.places.includes(place)) return;
  throw new Error(
    `There is no place "${place}". Use one of ${databases.places.join(', ')}, or add a server to TENANT_DATABASE_URLS.`,
  );
}

interface MoveDependencies {
  readonly services: Services;
  readonly databases: TenantDatabases;
  readonly tenant: PlacedTenant;
  readonly place: string;
  /** The last migration of both databases. */
  readonly schema: string;
  /** The number of rows before the pause. */
  readonly rows: number;
  readonly actor: Actor;
  readonly progress: ArchiveProgress;
}

/** One move of a tenant, from its claim to the switch of its placement. */
class Move {
  readonly #dependencies: MoveDependencies;
  readonly #claim: MoveClaim;
  #target: Placement | undefined;
  #pausedAtMs = 0;

  constructor(dependencies: MoveDependencies) {
    this.#dependencies = dependencies;
    const { services, tenant } = dependencies;
    this.#claim = new MoveClaim(services, tenant, newMoveId(services.clock.nowMs()));
  }

  async run(): Promise<MovedTenant> {
    const { databases, progress, tenant, place, schema, actor } = this.#dependencies;
    let rows = 0;
    let guard: MigrationGuard | undefined;
    const release = await this.#claim.begin();
    try {
      progress.begin('Preparing', null);
      const generation = generationOf(this.#claim.id);
      const target = await databases.createBeside(tenant.id, schema, { place, generation });
      this.#target = target;
      guard = await databases.guardMigrations(tenant);
      await this.#pauseAndSeal();
      rows = await this.#copy(target, guard);
      progress.begin('Switching', null);
      await this.#claim.switchTo(target, actor);
    } catch (error) {
      // The switch may have been committed although its response was lost. Then the move succeeded.
      if (!(await this.#undo())) throw error;
    } finally {
      release();
      // Not before: a migration that waits would find the seal that `#undo` removes.
      await guard?.close();
    }
    return { former: tenant, rows, pausedMs: performance.now() - this.#pausedAtMs };
  }

  /** Copies the sealed source. Gives way to a migration, because the tenant is more important than its move. */
  async #copy(target: Placement, guard: MigrationGuard): Promise<number> {
    const { databases, tenant, progress } = this.#dependencies;
    const snapshot = await databases.readSnapshot(tenant);
    let isAwaited = false;
    const look = async () => {
      isAwaited ||= await guard.isAwaited();
    };
    const watch = setInterval(() => {
      look().catch((error: unknown) => this.#warn(error, 'a move could not check whether a migration waits for it'));
    }, watchEveryMs);
    const assertMayContinue = () => {
      if (this.#claim.isLost) throw interrupted();
      if (isAwaited) throw migrated();
    };
    const watched: ArchiveProgress = {
      begin: (stage, rows) => progress.begin(stage, rows),
      advance(rows, bytes) {
        assertMayContinue();
        progress.advance(rows, bytes);
      },
    };
    try {
      const rows = await this.#transfer(snapshot, target, watched);
      await look();
      assertMayContinue();
      return rows;
    } finally {
      clearInterval(watch);
      await snapshot.close();
    }
  }

  async #transfer(tenant: Snapshot, target: Placement, progress: ArchiveProgress): Promise<number> {
    const { services, databases, schema } = this.#dependencies;
    if (tenant.schema !== schema) throw migrated();
    const dependencies = { databases, keyring: services.keyring, clock: services.clock, progress };
    const rows = await transfer(
      (stream) => streamTenant(stream, { tenant, tenantId: target.id }, dependencies),
      (stream) => loadStreamedTenant(stream, target, dependencies),
    );
    // Opening the copy checks its tenant id and its schema.
    const copy = await databases.open(target);
    try {
      // No request can complete these any more.
      await copy.transaction(releaseInterruptedAttempts);
    } finally {
      await copy.close();
    }
    return rows;
  }

  /** Pauses the tenant's writes, then seals its database, so that a write that has already begun fails too. */
  async #pauseAndSeal(): Promise<void> {
    const { services, databases, tenant, rows, progress } = this.#dependencies;
    const pauseSeconds = Math.ceil(rows / slowRowsPerSecond);
    await inDatabase(databases, tenant, async (source) => {
      let cause: unknown;
      for (const waitMs of lockWaitsMs) {
        progress.begin('Pausing', null);
        try {
          // The clients of floating licenses cannot send heartbeats during the pause.
          await source.transaction((tx) => keepLeasesDuringPause(tx, services.clock, pauseSeconds));
          this.#pausedAtMs = performance.now();
          await this.#claim.pause();
          progress.begin('Sealing', null);
          return await seal(source, this.#claim.id, waitMs, () => this.#claim.assertHeld());
        } catch (error) {
          if (!isBusy(error)) throw error;
          cause = error;
        }
        await this.#claim.resume();
        await delay(retryMs);
      }
      const message =
        'Writes to the tenant, such as a large import, did not leave a moment to pause them. Nothing was moved. Run the ' +
        'command again later.';
      throw new Error(message, { cause });
    });
  }

  /** Undoes the move after an error. Returns true if the switch was committed, so that there is nothing to undo. */
  async #undo(): Promise<boolean> {
    const { services, databases, tenant } = this.#dependencies;
    const { id } = this.#claim;
    try {
      if (await endMove(services, databases, tenant.id, (row) => row.move_id === id)) return false;
      const row = await findPlacedTenant(services.platform, tenant.id);
      if (row !== undefined && this.#target !== undefined && isSamePlacement(row, this.#target)) return true;
      // Another command ended this move, perhaps before it had sealed the source and created the target.
      await inDatabase(databases, tenant, (source) => removeSeal(source, id, releaseInterruptedAttempts));
      await databases.dropGeneration(tenant.id, generationOf(id));
    } catch (error) {
      this.#warn(error, 'undoing a failed move failed; it is undone when its lease expires');
    }
    return false;
  }

  #warn(error: unknown, message: string): void {
    const { services, tenant } = this.#dependencies;
    services.logger.warn({ err: error, tenant_id: tenant.id }, message);
  }
}

/** The error of a move that stops because the source is migrated. */
function migrated(): Error {
  return new Error(
    "A migration of the tenant's database began. Nothing was moved. Run the command again after the migration.",
  );
}

/** Returns true if other writers kept the lock of the database. */
function isBusy(error: unknown): boolean {
  return isLockedOut(error) || (isUnavailable(error) && isSqliteBusy(error.cause));
}

/**
 * Drops the previous database of a moved tenant after its readers have finished, at the latest after 62 s. If the
 * process crashes before that, an unused database is left over, which "doctor" reports.
 */
export async function removeFormer(
  services: Services,
  former: Placement,
  graceMs = formerGraceMs.least,
): Promise<void> {
  const databases = openTenantDatabases(services.config, services);
  await delay(graceMs);
  const giveUpAt = performance.now() + formerGraceMs.most;
  while (performance.now() < giveUpAt && (await databases.isInUse(former))) await delay(formerGraceMs.poll);
  await databases.drop(former);
}
