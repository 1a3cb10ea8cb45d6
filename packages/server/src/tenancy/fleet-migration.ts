import { isUnavailable } from '../db/errors.ts';
import { NewerSchemaError } from '../db/migrations/migrate.ts';
import { inParallel } from '../lib/work-queue.ts';
import { yieldToEventLoop } from '../lib/yield-to-event-loop.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/**
 * The outcome for one tenant. `newer`: a newer version of the program migrated the tenant, and this version can still
 * serve it. `ahead`: a newer version migrated the tenant, and this version cannot serve it. `unreachable`: its server
 * was not available, which says nothing about the migrations. `gone`: the tenant was removed during the run.
 */
export type TenantOutcome = 'migrated' | 'current' | 'newer' | 'ahead' | 'failed' | 'unreachable' | 'gone';

/** The result of processing one tenant of the fleet. */
export interface MigratedTenant {
  readonly tenantId: string;
  readonly placement: string;
  readonly outcome: TenantOutcome;
  /** The cause when the outcome is `ahead`, `failed` or `unreachable`. */
  readonly error?: unknown;
  readonly durationMs: number;
}

interface FleetMigrationOptions {
  readonly databases: Pick<TenantDatabases, 'migrate'>;
  readonly tenants: readonly Pick<Placement, 'id' | 'placement'>[];
  /** Reads a tenant's current placement: the tenant may have been moved or removed since the list was read. */
  readonly findPlacement: (tenantId: string) => Promise<Placement | undefined>;
  /** The number of tenants per server that are migrated concurrently; servers do not wait for each other. */
  readonly parallelism: number;
  /** Once aborted, migrations in progress are finished and no further one starts. */
  readonly signal: AbortSignal;
  readonly onTenant: (tenant: MigratedTenant) => void;
}

/**
 * The search for a canary ends after this many tenants that needed no migration: the run then resumes an earlier,
 * interrupted one.
 */
const canaryCandidatesMax = 100;

/**
 * Migrates all tenants: one after another until a first one (the canary) is migrated, then the rest in parallel.
 * Returns false when the canary's migration failed; the remaining tenants are then left unchanged. Later failures do
 * not stop the run. Running it again only checks the schema of each tenant that is already current.
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

/** A tenant that is current or unreachable does not exercise the migrations, so the next tenant becomes the canary. */
async function migrateCanary(
  waiting: Pick<Placement, 'id' | 'placement'>[],
  options: FleetMigrationOptions,
): Promise<boolean> {
  for (let current = 0; current < canaryCandidatesMax && !options.signal.aborted; ) {
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
  // Checking a current embedded database is synchronous, so without this the process would not handle SIGTERM.
  await yieldToEventLoop();
  const startedAtMs = performance.now();
  const report = (outcome: TenantOutcome, error?: unknown): TenantOutcome => {
    const failure = error === undefined ? {} : { error };
    onTenant({ tenantId, placement, outcome, ...failure, durationMs: performance.now() - startedAtMs });
    return outcome;
  };
  try {
    const found = await findPlacement(tenantId);
    if (found === undefined) return report('gone');
    return report((await databases.migrate(found)).state);
  } catch (error) {
    if (error instanceof NewerSchemaError) return report('ahead', error);
    return report(isUnavailable(error) ? 'unreachable' : 'failed', error);
  }
}
