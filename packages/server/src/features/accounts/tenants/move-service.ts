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
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { findPlacedTenant, type PlacedTenant, setPlacement } from './archive-queries.ts';
import { assertNotMoving, endMove, isMoving, type MoveEndServices, newMoveId } from './move-end-service.ts';
import { changeMove } from './move-queries.ts';
import { lockTenant } from './queries.ts';
import { tenantNotFound } from './service.ts';

/** What a dead mover leaves paused is writable again after this. */
const leaseMs = 30_000;
const renewEveryMs = 5_000;
/** Requests that were let in before the pause are nearly all answered by then; the rest waits for the database. */
const drainMs = 100;
/** Who reads from the former database when the tenant has another one finishes first, within these limits. */
const formerGraceMs = { least: 2_000, most: 60_000, poll: 500 };

/** A tenant that has another database now. */
export interface MovedTenant {
  /** Nobody is sent there any more: see `removeFormer`. */
  readonly former: Placement;
  readonly rows: number;
  /** For how long nothing could be written. */
  readonly pausedMs: number;
}

interface MoveOptions {
  /** Told of each step by its name, and of rows. */
  readonly progress: ArchiveProgress;
}

/**
 * Moves a tenant's database to another place while it is served, whatever the tenant's status. For the time of the copy
 * its readers go on and its writers are refused with 503 `TENANT.MOVING`; what was acknowledged before is in the copy.
 * The copy is read back and compared before anybody is sent to it. Answers undefined when the tenant is there already.
 *
 * Whatever ends it before the switch, the tenant stays where it is: a failure undoes it at once, a death after half a
 * minute (`endAbandonedMoves`, or the next move). Throws 404 `TENANT.NOT_FOUND`, and 409 `TENANT.TRANSITION_INVALID`
 * beside another move of the tenant.
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
  // The pause should not last longer because the source is to be migrated, or the target to be made.
  const schema = await currentSchema(databases, tenant);
  const target = await databases.createBeside(tenantId, schema, place);
  return await new Move({ services, databases, tenant, target, schema, actor, progress }).run();
}

/** Brings a database up to date; answers its last migration. */
async function currentSchema(databases: TenantDatabases, placement: Placement): Promise<string> {
  await (await databases.open(placement)).close();
  const snapshot = await databases.readSnapshot(placement);
  await snapshot.close();
  return snapshot.schema;
}

/** Refuses a place that is not configured, and files where several nodes may serve. */
function assertPlace({ config }: MoveEndServices, databases: TenantDatabases, place: string): void {
  if (place === embeddedPlacement && config.databaseUrl !== null) {
    throw new Error(
      'A file can be opened by one machine only, and with DATABASE_URL any number of nodes serve: move the tenant to a server.',
    );
  }
  if (databases.places.includes(place)) return;
  throw new Error(
    `There is no place "${place}": it is one of ${databases.places.join(', ')}. TENANT_DATABASE_URLS lists the servers.`,
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

/** One move, from the pause to the switch. */
class Move {
  readonly #ground: MoveDependencies;
  readonly #id = newMoveId();

  constructor(ground: MoveDependencies) {
    this.#ground = ground;
  }

  async run(): Promise<MovedTenant> {
    const { progress, tenant } = this.#ground;
    let rows = 0;
    let pausedAtMs = 0;
    try {
      progress.begin('Pausing', null);
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
      // The answer to a commit can be lost on its way: then the move has taken place.
      if (!(await this.#undo())) throw error;
    }
    return { former: tenant, rows, pausedMs: performance.now() - pausedAtMs };
  }

  #leaseEnd(): string {
    return toTimestamp(this.#ground.services.clock.nowMs() + leaseMs);
  }

  async #pause(): Promise<void> {
    const { services, tenant } = this.#ground;
    await services.platform.transaction(async (tx) => {
      const row = await lockTenant(tx, tenant.id);
      if (row === undefined) throw tenantNotFound();
      assertNotMoving(row, services.clock);
      if (row.move_id !== null || !isSamePlacement(row, tenant)) throw interrupted();
      await changeMove(tx, tenant.id, null, { move_id: this.#id, writes_paused_until: this.#leaseEnd() });
    });
    await delay(drainMs);
  }

  /** False when somebody has ended this move. */
  async #renew(): Promise<boolean> {
    const { services, tenant } = this.#ground;
    const renewed = { move_id: this.#id, writes_paused_until: this.#leaseEnd() };
    return await changeMove(services.platform.query, tenant.id, this.#id, renewed);
  }

  /** Answers how many rows there are. After it nobody can write to the former database any more. */
  async #copyAndSeal(): Promise<number> {
    const { databases, target, schema } = this.#ground;
    const source = await this.#hold();
    try {
      if (source.schema !== schema) throw interrupted();
      const rows = await countRows(source);
      await this.#copy(source, rows);
      // Whose it is, and with which schema.
      await (await databases.open(target)).close();
      if (!(await this.#renew())) throw interrupted();
      await source.seal(this.#id);
      return rows;
    } finally {
      await source.close();
    }
  }

  async #hold(): Promise<HeldDatabase> {
    const { databases, tenant } = this.#ground;
    try {
      return await databases.hold(tenant);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const message =
        'The writers of the tenant did not come to an end within ten seconds, as in a large import: nothing was moved. ' +
        `Run it again later. (${error.message})`;
      throw new Error(message, { cause: error });
    }
  }

  async #copy(source: HeldDatabase, rows: number): Promise<void> {
    const { databases, target, progress } = this.#ground;
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
    const { services, tenant, target, actor } = this.#ground;
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

  /** True when there is nothing to undo, because the tenant is where it was to go. */
  async #undo(): Promise<boolean> {
    const { services, databases, tenant, target } = this.#ground;
    try {
      await endMove(services, databases, tenant.id, (row) => row.move_id === this.#id);
      const row = await findPlacedTenant(services.platform, tenant.id);
      if (row !== undefined && isSamePlacement(row, target)) return true;
      await databases.drop(target);
    } catch {
      // What cannot be undone now is undone when the lease is over; "doctor" names the database that is left.
    }
    return false;
  }
}

function interrupted(): Error {
  return new Error('Another command changed where the tenant is: nothing was moved. Run it again.');
}

/**
 * Removes the database that a tenant had before, when those who read from it have finished. Until then a process that
 * dies leaves a database that nobody is sent to, and that "doctor" names.
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
