import { setTimeout as delay } from 'node:timers/promises';
import type { HeldDatabase } from '../../../db/copy/copy.ts';
import { isUnavailable } from '../../../db/errors.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { ArchiveProgress } from '../../../tenancy/archive/progress.ts';
import { assertSameRows, copyRows, countRows, digestRows } from '../../../tenancy/move/copy-rows.ts';
import { openTenantDatabases } from '../../../tenancy/open-tenant-databases.ts';
import { embeddedPlacement, isSamePlacement, type Placement } from '../../../tenancy/placement.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { TenantDatabases } from '../../../tenancy/tenant-databases.ts';
import { keepLeasesDuringPause } from '../../licensing/activations/lease-pause-service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { releaseInterruptedAttempts } from '../../tenant-core/idempotency/service.ts';
import { findPlacedTenant, type PlacedTenant, setPlacement } from './archive-queries.ts';
import { assertNotMoving, endMove, isMoving, type MoveEndServices, newMoveId } from './move-end-service.ts';
import { changeMove } from './move-queries.ts';
import { lockTenant } from './queries.ts';
import { tenantNotFound } from './service.ts';

/** The lease of a move. When a mover crashes, the tenant is writable again after this time. */
const leaseMs = 30_000;
const renewEveryMs = 5_000;
/** The wait after the pause in which nearly all requests in flight end; the others wait for the database's lock. */
const drainMs = 100;
/** Before the former database is dropped: the minimum wait, the maximum wait for its readers, and the poll interval. */
const formerGraceMs = { least: 2_000, most: 60_000, poll: 500 };

/** The result of a completed move. */
export interface MovedTenant {
  /** The previous placement, which new requests no longer use; see `removeFormer`. */
  readonly former: Placement;
  readonly rows: number;
  /** How long writes were refused, in milliseconds. */
  readonly pausedMs: number;
}

interface MoveOptions {
  /** Reports the name of each step and the number of rows. */
  readonly progress: ArchiveProgress;
}

/**
 * Moves the database of a tenant in any status to another place while the tenant is being served. During the copy,
 * reads continue and writes are refused with 503 `TENANT.MOVING`. The copy contains every acknowledged write. The copy
 * is read back and compared before any request uses it. Returns undefined if the tenant is already at the place.
 *
 * If the move ends before the switch, the tenant stays where it is: a failure is undone immediately, a crash after 30 s
 * (by `endAbandonedMoves` or the next move). Throws 404 `TENANT.NOT_FOUND`, and 409 `TENANT.TRANSITION_INVALID` during
 * another move of the tenant.
 */
export async function moveTenant(
  services: MoveEndServices,
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
  // The source is migrated and the target is created before the pause, to keep the pause short.
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
function assertPlace({ config }: MoveEndServices, databases: TenantDatabases, place: string): void {
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
  readonly services: MoveEndServices;
  readonly databases: TenantDatabases;
  readonly tenant: PlacedTenant;
  readonly target: Placement;
  /** The last migration of both databases. */
  readonly schema: string;
  readonly actor: Actor;
  readonly progress: ArchiveProgress;
}

/** One move of a tenant, from the pause of its writes to the switch of its placement. */
class Move {
  readonly #dependencies: MoveDependencies;
  readonly #id = newMoveId();

  constructor(dependencies: MoveDependencies) {
    this.#dependencies = dependencies;
  }

  async run(): Promise<MovedTenant> {
    const { progress, tenant } = this.#dependencies;
    let rows = 0;
    let pausedAtMs = 0;
    try {
      progress.begin('Pausing', null);
      await this.#keepLeases();
      await this.#pause();
      pausedAtMs = performance.now();
      const renewal = setInterval(() => void this.#renew().catch(() => undefined), renewEveryMs);
      try {
        rows = await this.#copyAndSeal();
      } finally {
        clearInterval(renewal);
      }
      progress.begin('Switching', null);
      await this.#switch();
    } catch (error) {
      // The switch may have been committed although its response was lost. Then the move succeeded.
      if (!(await this.#undo())) throw error;
    }
    return { former: tenant, rows, pausedMs: performance.now() - pausedAtMs };
  }

  #leaseEnd(): string {
    return toTimestamp(this.#dependencies.services.clock.nowMs() + leaseMs);
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

  async #pause(): Promise<void> {
    const { services, tenant } = this.#dependencies;
    await services.platform.transaction(async (tx) => {
      const row = await lockTenant(tx, tenant.id);
      if (row === undefined) throw tenantNotFound();
      assertNotMoving(row, services.clock);
      if (row.move_id !== null || !isSamePlacement(row, tenant)) throw interrupted();
      await changeMove(tx, tenant.id, null, { move_id: this.#id, writes_paused_until: this.#leaseEnd() });
    });
    await delay(drainMs);
  }

  /** Renews the lease. Returns false if another command has ended this move. */
  async #renew(): Promise<boolean> {
    const { services, tenant } = this.#dependencies;
    const renewed = { move_id: this.#id, writes_paused_until: this.#leaseEnd() };
    return await changeMove(services.platform.query, tenant.id, this.#id, renewed);
  }

  /** Copies the database and seals the source against writes. Returns the number of rows. */
  async #copyAndSeal(): Promise<number> {
    const { schema } = this.#dependencies;
    const source = await this.#hold();
    try {
      if (source.schema !== schema) throw interrupted();
      const rows = await countRows(source);
      await this.#copy(source, rows);
      await this.#prepareForRequests();
      if (!(await this.#renew())) throw interrupted();
      await source.seal(this.#id);
      return rows;
    } finally {
      await source.close();
    }
  }

  /** Opens the copy, which checks its tenant id and its schema, and releases what no request can complete any more. */
  async #prepareForRequests(): Promise<void> {
    const { databases, target } = this.#dependencies;
    const copy = await databases.open(target);
    try {
      await copy.transaction(releaseInterruptedAttempts);
    } finally {
      await copy.close();
    }
  }

  async #hold(): Promise<HeldDatabase> {
    const { databases, tenant } = this.#dependencies;
    try {
      return await databases.hold(tenant);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const message =
        'Writes to the tenant, such as a large import, did not end within 10 seconds. Nothing was moved. Run the ' +
        `command again later. (${error.message})`;
      throw new Error(message, { cause: error });
    }
  }

  async #copy(source: HeldDatabase, rows: number): Promise<void> {
    const { databases, target, progress } = this.#dependencies;
    const loader = await databases.load(target);
    try {
      progress.begin('Copying', rows);
      const read = await copyRows(source, loader, progress);
      progress.begin('Completing', null);
      await loader.finish();
      progress.begin('Checking', rows);
      const copy = await databases.readSnapshot(target);
      try {
        assertSameRows(read, await digestRows(copy, loader.tables, progress));
      } finally {
        await copy.close();
      }
    } finally {
      await loader.close();
    }
  }

  async #switch(): Promise<void> {
    const { services, tenant, target, actor } = this.#dependencies;
    await services.platform.transaction(async (tx) => {
      const row = await lockTenant(tx, tenant.id);
      if (row?.move_id !== this.#id || !isSamePlacement(row, tenant)) throw interrupted();
      const at = services.clock.now();
      await setPlacement(tx, target, at);
      const changes = [{ field: 'placement', old: tenant.placement, new: target.placement }];
      const entry = { event: 'TENANT.MOVED', resourceType: 'tenant', resourceId: tenant.id, changes, at };
      await recordPlatformAudit(tx, actor, entry);
    });
  }

  /** Undoes the move after an error. Returns true if the switch was committed, so that there is nothing to undo. */
  async #undo(): Promise<boolean> {
    const { services, databases, tenant, target } = this.#dependencies;
    try {
      await endMove(services, databases, tenant.id, (row) => row.move_id === this.#id);
      const row = await findPlacedTenant(services.platform, tenant.id);
      if (row !== undefined && isSamePlacement(row, target)) return true;
      await databases.drop(target);
    } catch {
      // `endAbandonedMoves` undoes it after the lease expires, and "doctor" reports the database that is left over.
    }
    return false;
  }
}

function interrupted(): Error {
  return new Error('Another command changed the placement of the tenant. Nothing was moved. Run the command again.');
}

/**
 * Drops the previous database of a moved tenant after its readers have finished, at the latest after 62 s. If the
 * process crashes before that, an unused database is left over, which "doctor" reports.
 */
export async function removeFormer(
  services: MoveEndServices,
  former: Placement,
  graceMs = formerGraceMs.least,
): Promise<void> {
  const databases = openTenantDatabases(services.config, services);
  await delay(graceMs);
  const giveUpAt = performance.now() + formerGraceMs.most;
  while (performance.now() < giveUpAt && (await databases.isInUse(former))) await delay(formerGraceMs.poll);
  await databases.drop(former);
}
