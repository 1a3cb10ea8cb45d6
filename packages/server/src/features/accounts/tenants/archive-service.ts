import type { Snapshot } from '../../../db/copy/copy.ts';
import type { PlatformTransaction } from '../../../db/database.ts';
import { NewerSchemaError } from '../../../db/migrations/migrate.ts';
import { tenantMigrations } from '../../../db/migrations/tenant/index.ts';
import { readPlatformSnapshot } from '../../../db/platform.ts';
import type { MembershipsTable } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { exportTenant } from '../../../tenancy/archive/export.ts';
import {
  explained,
  type LoadedTenant,
  loadTenantArchive,
  verifyTenantArchive,
} from '../../../tenancy/archive/import.ts';
import { platformTableRules } from '../../../tenancy/archive/platform-tables.ts';
import type { ArchiveProgress } from '../../../tenancy/archive/progress.ts';
import type { WrittenArchive } from '../../../tenancy/archive/writer.ts';
import { openTenantDatabases } from '../../../tenancy/open-tenant-databases.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { TenantDatabases } from '../../../tenancy/tenant-databases.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { findOrCreateUser } from '../identity/users-service.ts';
import { restoreMembership } from '../memberships/service.ts';
import {
  type ArchivedRow,
  addArchivedRows,
  deleteTenantRows,
  findPlacedTenant,
  type PlacedTenant,
  setPlacement,
} from './archive-queries.ts';
import { assertNotMoving } from './move-end-service.ts';
import { createTenantRow, lockTenant, planExists } from './queries.ts';
import { tenantNotFound } from './service.ts';

/** How long the data of a closed tenant can still be exported before `purgeTenant` removes it without force. */
export const closedRetentionDays = 30;

/** What the command line opens; a tenant's database is read beside the service that has it open. */
export type ArchiveServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'platform'>;

function databasesOf(services: ArchiveServices): TenantDatabases {
  return openTenantDatabases(services.config, services);
}

/** Opens the snapshots of the platform and of a tenant, in this order, for `work`; closes both. */
export async function withTenantSnapshots<Result>(
  services: ArchiveServices,
  tenantId: string,
  work: (snapshots: { readonly platform: Snapshot; readonly tenant: Snapshot }) => Promise<Result>,
): Promise<Result> {
  const platform = await readPlatformSnapshot(services.config);
  try {
    // After the snapshot: what the archive says of the tenant is not newer than its rows.
    const placed = await findPlacedTenant(services.platform, tenantId);
    if (placed === undefined) throw tenantNotFound();
    const tenant = await databasesOf(services).readSnapshot(placed);
    try {
      if (!Object.hasOwn(tenantMigrations, tenant.schema)) throw new NewerSchemaError();
      return await work({ platform, tenant });
    } finally {
      await tenant.close();
    }
  } finally {
    await platform.close();
  }
}

/**
 * Writes one consistent state of a tenant, whatever its status, with its members' addresses and roles, its API keys
 * and open invitations. Writers go on meanwhile. Throws 404 `TENANT.NOT_FOUND`.
 */
export async function exportTenantArchive(
  services: ArchiveServices,
  tenantId: string,
  file: string,
  progress: ArchiveProgress,
): Promise<WrittenArchive> {
  return await withTenantSnapshots(services, tenantId, (snapshots) =>
    exportTenant(file, { ...snapshots, tenantId }, { ...services, progress }),
  );
}

interface ImportOptions {
  /** A tenant that is there gets the archive's data in place of its own. */
  readonly replace: boolean;
  readonly progress: ArchiveProgress;
}

/**
 * Makes a tenant from an archive, or replaces the data of the one that is there. Nothing of it is seen before all of
 * it was checked. Of a tenant that is there the platform keeps what it decided: its state, plan and limits, who belongs
 * to it, which keys are revoked. Answers the tenant's id.
 */
export async function importTenantArchive(
  services: ArchiveServices,
  actor: Actor,
  file: string,
  { replace, progress }: ImportOptions,
): Promise<string> {
  const verified = await verifyTenantArchive(file, { keyring: services.keyring, progress });
  const { tenantId } = verified;
  assertReplaceable(await findPlacedTenant(services.platform, tenantId), replace);
  const databases = databasesOf(services);
  const loaded = await loadTenantArchive(file, verified, { databases, keyring: services.keyring, progress });
  let former: TenantsTable | undefined;
  try {
    former = await services.platform.transaction((tx) =>
      commitImport(services, tx, actor, { loaded, replace, sha256: verified.trailer.sha256 }),
    );
  } catch (error) {
    await databases.drop(loaded.placement);
    throw explained(file, error);
  }
  if (former !== undefined) await databases.drop(former);
  return tenantId;
}

function assertReplaceable(tenant: Pick<PlacedTenant, 'name' | 'status'> | undefined, replace: boolean): void {
  if (tenant === undefined) return;
  if (tenant.status === 'closed') {
    throw new AppError(
      'TENANT.TRANSITION_INVALID',
      `The tenant ${tenant.name} is closed: purge it, then import it anew.`,
    );
  }
  if (replace) return;
  throw new AppError(
    'TENANT.TRANSITION_INVALID',
    `The tenant ${tenant.name} is here already: --replace puts the archive in place of its data.`,
  );
}

interface Commit {
  readonly loaded: LoadedTenant;
  readonly replace: boolean;
  readonly sha256: string;
}

/** Points the tenant's row at the new database. Answers the row of before, when there was one. */
async function commitImport(
  services: ArchiveServices,
  tx: PlatformTransaction,
  actor: Actor,
  { loaded, replace, sha256 }: Commit,
): Promise<TenantsTable | undefined> {
  const { placement, platformRows } = loaded;
  const before = await lockTenant(tx, placement.id);
  assertReplaceable(before, replace);
  if (before !== undefined) assertNotMoving(before, services.clock);
  const at = services.clock.now();
  if (before === undefined) await createArchivedTenant(tx, loaded);
  else await setPlacement(tx, placement, at);
  // Keys are never deleted: those that are missing here are new, and a revoked one stays revoked.
  const added = before === undefined ? exportedTables : keptTables;
  for (const [table, rows] of platformRows) {
    if (added.has(table)) await addArchivedRows(tx, table as keyof PlatformTables, rows);
  }
  if (before === undefined) await addMembers(tx, placement.id, platformRows.get('members') ?? [], at);
  const changes = [{ field: 'archive_sha256', old: null, new: sha256 }];
  const entry = { event: 'TENANT.IMPORTED', resourceType: 'tenant', resourceId: placement.id, changes, at };
  await recordPlatformAudit(tx, actor, entry);
  return before;
}

/** Those whose rows are inserted as they are. */
const exportedTables: ReadonlySet<string> = new Set(
  Object.entries(platformTableRules)
    .filter(([name, { isExported }]) => isExported && name !== 'tenants' && name !== 'memberships')
    .map(([name]) => name),
);

/** Those of which a tenant that is there gets the rows that it does not have. */
const keptTables: ReadonlySet<string> = new Set(['api_keys', 'audit_outbox']);

async function createArchivedTenant(tx: PlatformTransaction, { placement, platformRows }: LoadedTenant): Promise<void> {
  const [archived] = platformRows.get('tenants') ?? [];
  if (archived === undefined || archived['id'] !== placement.id) {
    throw new Error('The archive has no row of its tenant: use another copy.');
  }
  const row = { ...archived, ...placement } as unknown as TenantsTable;
  if (!(await planExists(tx, row.plan_code))) {
    throw new Error(`The tenant has the plan "${row.plan_code}", which is not offered here: make it first.`);
  }
  await createTenantRow(tx, row);
}

interface ArchivedMember extends Pick<MembershipsTable, 'id' | 'role' | 'created_at' | 'user_id'> {
  readonly email: string;
  readonly name: string;
}

async function addMembers(
  tx: PlatformTransaction,
  tenantId: string,
  rows: readonly ArchivedRow[],
  at: string,
): Promise<void> {
  for (const row of rows) {
    const { user_id, email, name, ...membership } = row as unknown as ArchivedMember;
    const userId = await findOrCreateUser(tx, { id: user_id, email, name, at });
    await restoreMembership(tx, { ...membership, tenant_id: tenantId, user_id: userId });
  }
}

/**
 * Removes a closed tenant for good: its database, members, keys and billing records. The platform's audit log stays.
 * Before `closedRetentionDays` have passed only with `force`. Throws 404 `TENANT.NOT_FOUND`.
 */
export async function purgeTenant(
  services: ArchiveServices,
  actor: Actor,
  tenantId: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const tables = await platformTableOrder(services);
  const purged = await services.platform.transaction(async (tx) => {
    const tenant = await lockTenant(tx, tenantId);
    if (tenant === undefined) throw tenantNotFound();
    assertPurgeable(services, tenant, force);
    assertNotMoving(tenant, services.clock);
    await deleteTenantRows(tx, tenantId, tables);
    const changes = [{ field: 'name', old: tenant.name, new: null }];
    const at = services.clock.now();
    const entry = { event: 'TENANT.PURGED', resourceType: 'tenant', resourceId: tenantId, changes, at };
    await recordPlatformAudit(tx, actor, entry);
    return tenant;
  });
  // After the commit: nobody reaches the database any more, and a crash here leaves one that "doctor" names.
  await databasesOf(services).drop(purged);
}

/** Tells the name of a tenant that may be purged; throws otherwise. */
export async function describePurge(services: ArchiveServices, tenantId: string, force: boolean): Promise<string> {
  const tenant = await findPlacedTenant(services.platform, tenantId);
  if (tenant === undefined) throw tenantNotFound();
  assertPurgeable(services, tenant, force);
  return tenant.name;
}

function assertPurgeable(
  { clock }: ArchiveServices,
  { status, closed_at }: Pick<TenantsTable, 'status' | 'closed_at'>,
  force: boolean,
): void {
  if (status !== 'closed' || closed_at === null) {
    throw new AppError(
      'TENANT.TRANSITION_INVALID',
      `Only a closed tenant can be purged, and this one is ${status}: close it first.`,
    );
  }
  const closedBefore = toTimestamp(clock.nowMs() - closedRetentionDays * 86_400_000);
  if (force || closed_at <= closedBefore) return;
  throw new AppError(
    'TENANT.TRANSITION_INVALID',
    `The tenant was closed on ${closed_at.slice(0, 10)}, and its data is kept for ${closedRetentionDays} days: --force purges it now.`,
  );
}

async function platformTableOrder({ config }: ArchiveServices): Promise<string[]> {
  const snapshot = await readPlatformSnapshot(config);
  await snapshot.close();
  return snapshot.tables.map(({ name }) => name);
}
