import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUnavailable } from '../db/errors.ts';
import { NewerSchemaError } from '../db/migrations/migrate.ts';
import { inParallel } from '../lib/in-parallel.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/**
 * What became of a tenant: `newer` is one that a newer version migrated and lets this one serve, `ahead` one that it
 * does not; `unreachable` says nothing about the migrations; `gone` was removed meanwhile.
 */
export type TenantOutcome = 'migrated' | 'current' | 'newer' | 'ahead' | 'failed' | 'unreachable' | 'gone';

/** One tenant of a fleet that was looked at. */
export interface MigratedTenant {
  readonly tenantId: string;
  readonly placement: string;
  readonly outcome: TenantOutcome;
  /** Of those that failed in whatever way. */
  readonly error?: unknown;
  readonly durationMs: number;
}

interface FleetMigrationOptions {
  readonly databases: Pick<TenantDatabases, 'migrate'>;
  readonly tenants: readonly Pick<Placement, 'id' | 'placement'>[];
  /** Where a tenant is by now: it may have been moved or removed since the list was made. */
  readonly findPlacement: (tenantId: string) => MaybePromise<Placement | undefined>;
  /** How many tenants of a server are migrated at the same time; servers do not wait for each other. */
  readonly parallelism: number;
  /** Aborted: those that are being migrated are finished, and no other is begun. */
  readonly signal: AbortSignal;
  readonly onTenant: (tenant: MigratedTenant) => void;
}

/** After so many tenants in which nothing was to be done this is a run that goes on where another ended. */
const currentTenantsMax = 100;

/**
 * Migrates tenants: one after the other until one was migrated, and then all others at the same time. Answers false
 * when the first migration failed, and the others were left alone for that. Later failures stop nothing. To run it
 * again costs a look at each tenant that is current.
 */
export async function migrateFleet(options: FleetMigrationOptions): Promise<boolean> {
  const waiting = [...options.tenants];
  if (!(await migrateCanary(waiting, options))) return false;
  const servers = Map.groupBy(waiting, ({ placement }) => placement);
  await Promise.all(
    Array.from(servers.values(), (tenants) =>
      inParallel(tenants, options.parallelism, async (tenant) => {
        if (!options.signal.aborted) await migrateOne(tenant, options);
      }),
    ),
  );
  return true;
}

/** A tenant that is current or cannot be reached says nothing about the migrations: the next one is the canary then. */
async function migrateCanary(
  waiting: Pick<Placement, 'id' | 'placement'>[],
  options: FleetMigrationOptions,
): Promise<boolean> {
  for (let current = 0; current < currentTenantsMax && !options.signal.aborted; ) {
    const tenant = waiting.shift();
    if (tenant === undefined) return true;
    const outcome = await migrateOne(tenant, options);
    if (outcome === 'failed' || outcome === 'ahead') return false;
    if (outcome === 'migrated') return true;
    if (outcome !== 'unreachable') current += 1;
  }
  return true;
}

async function migrateOne(
  { id: tenantId, placement }: Pick<Placement, 'id' | 'placement'>,
  { databases, findPlacement, onTenant }: FleetMigrationOptions,
): Promise<TenantOutcome> {
  // On the embedded engine nothing waits: without a turn no signal would be heard.
  await nextTurn();
  const startedAtMs = performance.now();
  const tell = (outcome: TenantOutcome, error?: unknown): TenantOutcome => {
    const failure = error === undefined ? {} : { error };
    onTenant({ tenantId, placement, outcome, ...failure, durationMs: performance.now() - startedAtMs });
    return outcome;
  };
  try {
    const found = await findPlacement(tenantId);
    if (found === undefined) return tell('gone');
    return tell((await databases.migrate(found)).state);
  } catch (error) {
    if (error instanceof NewerSchemaError) return tell('ahead', error);
    return tell(isUnavailable(error) ? 'unreachable' : 'failed', error);
  }
}
