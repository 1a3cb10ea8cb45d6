import type { PlatformDb } from '../../db/database.ts';
import { isMissingTable } from '../../db/errors.ts';
import { checkSchema, type Migrations, newestMigration, type SchemaState } from '../../db/migrations/migrate.ts';
import { tenantMigrations } from '../../db/migrations/tenant/index.ts';
import { findRow } from '../../db/rows.ts';
import { sealedColumns } from '../../sealed-columns.ts';
import type { Placement } from '../../tenancy/placement.ts';
import type { TenantDatabases } from '../../tenancy/tenant-databases.ts';
import { sentenceOf } from '../failure.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { findDamage } from './platform.ts';
import type { SecretCheck } from './secrets.ts';

const parallelism = 4;

interface TenantChecks {
  /** Default: the migrations of this version of the program. */
  readonly migrations?: Migrations;
  /** Counts the sealed values of each database. */
  readonly secrets?: SecretCheck | undefined;
}

/** Checks every tenant's database: it opens, is undamaged, belongs to that tenant, and has a supported schema. */
export async function* checkTenants(
  platform: PlatformDb,
  databases: TenantDatabases,
  placements: readonly Placement[],
  { migrations = tenantMigrations, secrets }: TenantChecks = {},
): AsyncGenerator<Finding> {
  const waiting = [...placements];
  const findings: Finding[] = [];
  let current = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const finding = await checkTenant(platform, databases, next, { migrations, secrets });
      if (finding === undefined) current += 1;
      else findings.push(finding);
    }
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  yield* findings;
  if (placements.length === 0) yield ok('There are no tenants yet');
  else if (current > 0)
    yield ok(`${current} of ${placements.length} tenant databases open and have the current schema`);
}

/** Returns undefined when there is nothing to report. */
async function checkTenant(
  platform: PlatformDb,
  databases: TenantDatabases,
  placement: Placement,
  { migrations, secrets }: Required<Pick<TenantChecks, 'migrations'>> & TenantChecks,
): Promise<Finding | undefined> {
  const { id } = placement;
  try {
    const { owner, state, damage } = await inspect(databases, placement, { migrations, secrets });
    if (damage !== undefined) {
      return problem(`The database of tenant ${id} is damaged: ${damage}.`, 'Restore it from a backup.');
    }
    if (owner !== id) {
      const belongs = owner === undefined ? 'to no tenant' : `to tenant ${owner}`;
      return problem(`The database of tenant ${id} belongs ${belongs}.`, 'Restore the right database from a backup.');
    }
    if (state === 'ahead') {
      return problem(`A newer version of this program migrated tenant ${id}.`, 'Start that version.');
    }
    if (state === 'current' || state === 'newer') return undefined;
    const failure = await findFailure(platform, id, migrations);
    if (failure !== undefined) {
      return problem(
        `The migration of tenant ${id} failed (attempt ${failure.failures}, at ${failure.failed_at}): ${failure.error}.`,
        `Correct the cause, then run "licensing migrate"; the service tries again at ${failure.retry_at}.`,
      );
    }
    return warning(
      `Tenant ${id} has an older schema.`,
      'Run "licensing migrate"; the service also migrates the tenant when it opens it.',
    );
  } catch (error) {
    return problem(`Tenant ${id}: ${sentenceOf(error)}`);
  }
}

/** Returns the last failure of the migrations of this version; undefined when there was none. */
async function findFailure(platform: PlatformDb, tenantId: string, migrations: Migrations) {
  return findRow(platform.query, 'migration_failures', { tenant_id: tenantId, migration: newestMigration(migrations) });
}

interface Inspected {
  readonly owner: string | undefined;
  readonly state: SchemaState;
  readonly damage: string | undefined;
}

async function inspect(
  databases: TenantDatabases,
  placement: Placement,
  { migrations, secrets }: Required<Pick<TenantChecks, 'migrations'>> & TenantChecks,
): Promise<Inspected> {
  const database = databases.connect(placement);
  try {
    const identity = await database.query
      .selectFrom('tenant_identity')
      .select('tenant_id')
      .executeTakeFirst()
      .catch((error: unknown) => {
        if (isMissingTable(error)) return undefined;
        throw error;
      });
    const state = await checkSchema(database, migrations);
    const damage = await findDamage(database);
    if (damage === undefined) await secrets?.add(`tenant ${placement.id}`, database, sealedColumns.tenant);
    return { owner: identity?.tenant_id, state, damage };
  } finally {
    await database.close();
  }
}

/** Lists the placements of all tenants. */
export function listPlacements(platform: PlatformDb): Promise<Placement[]> {
  return platform.query
    .selectFrom('tenants')
    .select(['id', 'placement', 'database_name', 'database_secret'])
    .orderBy('id')
    .execute();
}
