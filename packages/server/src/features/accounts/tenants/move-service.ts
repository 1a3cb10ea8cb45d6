import { setTimeout as delay } from 'node:timers/promises';
import type { HeldDatabase, Holder } from '../../../db/copy/copy.ts';
import type { MigrationGuard } from '../../../db/copy/migration-guard.ts';
import type { TenantDb } from '../../../db/database.ts';
import { isLockedOut, isSqliteBusy, isUnavailable } from '../../../db/errors.ts';
import type { Services } from '../../../services.ts';
import type { ArchiveProgress } from '../../../tenancy/archive/progress.ts';
import { LiveCopy, migrated } from '../../../tenancy/move/live-copy.ts';
import { openTenantDatabases } from '../../../tenancy/open-tenant-databases.ts';
import { embeddedPlacement, isSamePlacement, type Placement } from '../../../tenancy/placement.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { TenantDatabases } from '../../../tenancy/tenant-databases.ts';
import { keepLeasesDuringPause } from '../../licensing/activations/service.ts';
import { releaseInterruptedAttempts } from '../../tenant-core/idempotency/service.ts';
import { assertNotMoving, endMove, isMoving, MoveClaim, newMoveId } from './move-claim-service.ts';
import { findPlacedTenant, type PlacedTenant } from './queries.ts';
import { tenantNotFound } from './service.ts';

/**
 * How long each pause waits for the lock of the database, in milliseconds. The first ones are shorter than PostgreSQL's
 * `deadlock_timeout` (1 s), so that no writer is aborted by deadlock detection. The later ones are longer, because an
 * autovacuum releases its lock only after that time.
 */
const lockWaitsMs = [700, 700, 700, 1_400, 1_400, 1_400, 1_400, 1_400];
/** How often a move checks whether a migration waits for it. */
const watchEveryMs = 1_000;
/** The time between two pauses, in which the writers that kept the lock may end. */
const retryMs = 2_000;
/** The maximum number of rows that a pause copies. */
const pausedRowsMax = 5_000;
/** Before the former database is dropped: the minimum wait, the maximum wait for its readers, and the poll interval. */
const formerGraceMs = { least: 2_000, most: 60_000, poll: 500 };

/** The result of a completed move. */
export interface MovedTenant {
  /** The previous placement, which new requests no longer use; see `removeFormer`. */
  readonly former: Placement;
  /** The number of rows of the first copy. */
  readonly rows: number;
  /** The number of rows that changed during the move and were copied again while writes continued. */
  readonly changedRows: number;
  /** The number of rows that were copied while writes were refused. */
  readonly pausedRows: number;
  /** How long writes were refused, in milliseconds. */
  readonly pausedMs: number;
}

interface MoveOptions {
  /** Reports the name of each step and the number of rows. */
  readonly progress: ArchiveProgress;
}

/**
 * Moves the database of a tenant in any status to another place while the tenant is being served. The database is
 * copied, read back and compared while reads and writes continue, and the rows that change meanwhile are copied again.
 * Writes are refused with 503 `TENANT.MOVING` only for the last of these rows and for the switch. The copy contains
 * every acknowledged write. Returns undefined if the tenant is already at the place.
 *
 * If the move ends before the switch, the tenant stays where it is: a failure is undone immediately, a crash after 30 s
 * (by `endAbandonedMoves` or the next move). Throws 404 `TENANT.NOT_FOUND`, and 409 `TENANT.TRANSITION_INVALID` during
 * another move of the tenant.
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
  const tenant = await findPlacedTenant(services.platform, tenantId);
  if (tenant === undefined) throw tenantNotFound();
  assertNotMoving(tenant, services.clock);
  await endMove(services, databases, tenantId, (row) => !isMoving(row, services.clock.now()));
  if (tenant.placement === place) return undefined;
  progress.begin('Preparing', null);
  const schema = await currentSchema(databases, tenant);
  const target = await databases.createBeside(tenantId, schema, place);
  return await new Move({ services, databases, tenant, target, schema, actor, progress }).run();
}

/** Migrates a database to the current schema and returns the name of its last migration. */
async function currentSchema(databases: TenantDatabases, placement: Placement): Promise<string> {
  await (await databases.open(placement)).close();
  const snapshot = await databases.readSnapshot(placement);
  await snapshot.close();
  return snapshot.schema;
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
  readonly target: Placement;
  /** The last migration of both databases. */
  readonly schema: string;
  readonly actor: Actor;
  readonly progress: ArchiveProgress;
}

/** One move of a tenant, from its claim to the switch of its placement. */
class Move {
  readonly #dependencies: MoveDependencies;
  readonly #claim: MoveClaim;
  #rows = 0;
  #pausedRows = 0;
  #pausedAtMs = 0;

  constructor(dependencies: MoveDependencies) {
    this.#dependencies = dependencies;
    this.#claim = new MoveClaim(dependencies.services, dependencies.tenant, newMoveId());
  }

  async run(): Promise<MovedTenant> {
    const { progress, tenant, target, actor } = this.#dependencies;
    let changedRows = 0;
    try {
      progress.begin('Capturing', null);
      const release = await this.#claim.begin();
      try {
        changedRows = await this.#copyAndSeal();
      } finally {
        release();
      }
      progress.begin('Switching', null);
      await this.#claim.switchTo(target, actor);
    } catch (error) {
      // The switch may have been committed although its response was lost. Then the move succeeded.
      if (!(await this.#undo())) throw error;
    }
    const pausedMs = performance.now() - this.#pausedAtMs;
    return { former: tenant, rows: this.#rows, changedRows, pausedRows: this.#pausedRows, pausedMs };
  }

  /** Copies the database and seals the source against writes. Returns the number of rows that were copied again. */
  async #copyAndSeal(): Promise<number> {
    const { databases, tenant, target, schema } = this.#dependencies;
    const guard = await databases.guardMigrations(tenant);
    const assertMayContinue = async () => {
      await this.#claim.assertHeld();
      if (await guard.isAwaited()) throw migrated();
    };
    const { progress, endWatch } = this.#watch(guard);
    const captureId = this.#claim.id;
    const copy = new LiveCopy({ databases, source: tenant, target, schema, captureId, progress, assertMayContinue });
    try {
      this.#rows = await copy.copy();
      await copy.catchUp();
      await copy.check();
      await copy.catchUp();
      await this.#pauseAndSeal(copy);
      return copy.changedRows;
    } finally {
      endWatch();
      await copy.close();
      await guard.close();
    }
  }

  /** Returns a progress that stops a long step when a migration waits: the tenant is more important than its move. */
  #watch(guard: MigrationGuard) {
    const { progress } = this.#dependencies;
    let isAwaited = false;
    const look = async () => {
      isAwaited ||= await guard.isAwaited();
    };
    const timer = setInterval(() => void look().catch(() => undefined), watchEveryMs);
    const watched: ArchiveProgress = {
      begin: (stage, rows) => progress.begin(stage, rows),
      advance(rows, bytes) {
        if (isAwaited) throw migrated();
        progress.advance(rows, bytes);
      },
    };
    return { progress: watched, endWatch: () => clearInterval(timer) };
  }

  /** Everything that takes time is opened before the pause. */
  async #pauseAndSeal(copy: LiveCopy): Promise<void> {
    const { databases, tenant, target } = this.#dependencies;
    const holder = await databases.openHolder(tenant);
    try {
      // Opening the copy checks its tenant id and its schema.
      const opened = await databases.open(target);
      try {
        await this.#tryToSeal(copy, holder, opened);
      } finally {
        await opened.close();
      }
    } finally {
      await holder.close();
    }
  }

  async #tryToSeal(copy: LiveCopy, holder: Holder, opened: TenantDb): Promise<void> {
    let cause: unknown;
    for (const waitMs of lockWaitsMs) {
      this.#dependencies.progress.begin('Pausing', null);
      try {
        await this.#keepLeases();
        this.#pausedAtMs = performance.now();
        await this.#claim.pause();
        if (await this.#seal(copy, await holder.hold(waitMs), opened)) return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        cause = error;
      }
      await this.#claim.resume();
      await delay(retryMs);
      await copy.catchUp();
    }
    const message =
      'Writes to the tenant, such as a large import, did not leave a moment for the switch. Nothing was moved. Run the ' +
      'command again later.';
    throw new Error(message, { cause });
  }

  /** Completes the copy and seals the source. Returns false if too many rows changed for a short pause. */
  async #seal(copy: LiveCopy, source: HeldDatabase, opened: TenantDb): Promise<boolean> {
    const { progress } = this.#dependencies;
    try {
      if ((await copy.countChanges(source)) > pausedRowsMax) return false;
      progress.begin('Finishing', null);
      this.#pausedRows = await copy.complete(source);
      // No request can complete these any more.
      await opened.transaction(releaseInterruptedAttempts);
      await this.#claim.assertHeld();
      progress.begin('Sealing', null);
      await source.seal(this.#claim.id);
      return true;
    } finally {
      await source.close();
    }
  }

  /** The clients of floating licenses cannot send heartbeats during the pause. */
  async #keepLeases(): Promise<void> {
    const { services, databases, tenant } = this.#dependencies;
    const database = await databases.open(tenant);
    try {
      await database.transaction((tx) => keepLeasesDuringPause(tx, services.clock));
    } finally {
      await database.close();
    }
  }

  /** Undoes the move after an error. Returns true if the switch was committed, so that there is nothing to undo. */
  async #undo(): Promise<boolean> {
    const { services, databases, tenant, target } = this.#dependencies;
    try {
      await endMove(services, databases, tenant.id, (row) => row.move_id === this.#claim.id);
      const row = await findPlacedTenant(services.platform, tenant.id);
      if (row !== undefined && isSamePlacement(row, target)) return true;
      await databases.drop(target);
    } catch (error) {
      // `endAbandonedMoves` undoes it after the lease expires, and "doctor" reports the database that is left over.
      const message = 'undoing a failed move failed; it is undone when its lease expires';
      services.logger.warn({ err: error, tenant_id: tenant.id }, message);
    }
    return false;
  }
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
