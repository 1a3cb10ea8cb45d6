import { noteImport } from '../../../db/app-keys.ts';
import type { Snapshot } from '../../../db/archive/tables.ts';
import type { PlatformTransaction } from '../../../db/database.ts';
import { NewerSchemaError } from '../../../db/migrations/migrate.ts';
import { tenantMigrations } from '../../../db/migrations/tenant/index.ts';
import { readPlatformSnapshot } from '../../../db/platform.ts';
import type { MembershipsTable } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { readableDay } from '../../../lib/readable-time.ts';
import { eraseMailOfTenant } from '../../../mail/stored-mail.ts';
import { forgetSandboxTenant } from '../../../payments/sandbox/forget.ts';
import type { Services } from '../../../services.ts';
import { exportTenant } from '../../../tenancy/archive/export.ts';
import {
  dropUnused,
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
import { findOrCreateUser } from '../identity/account-service.ts';
import { createMembership } from '../memberships/service.ts';
import { assertNotMoving } from './move-claim-service.ts';
import {
  type ArchivedRow,
  addArchivedRows,
  createTenantRow,
  deleteTenantRows,
  findPlacedTenant,
  isHandleTaken,
  listSandboxSubscriptions,
  lockTenant,
  type PlacedTenant,
  planExists,
  setPlacement,
} from './queries.ts';
import { tenantNotFound } from './service.ts';

/** The number of days for which the data of a closed tenant is kept. Within them, `purgeTenant` requires `force`. */
export const closedRetentionDays = 30;

function databasesOf(services: Services): TenantDatabases {
  return openTenantDatabases(services.config, services);
}

/** Opens a snapshot of the platform database, then one of a tenant's, runs `work` on them, and closes both. */
export async function withTenantSnapshots<Result>(
  services: Services,
  tenantId: string,
  work: (snapshots: { readonly platform: Snapshot; readonly tenant: Snapshot }) => Promise<Result>,
): Promise<Result> {
  const platform = await readPlatformSnapshot(services.config);
  try {
    // Read after the platform snapshot, so that the archive's platform rows are not newer than its tenant rows.
    const placed = orThrow(await findPlacedTenant(services.platform, tenantId), tenantNotFound);
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
 * Writes a consistent archive of a tenant in any status, with its members' addresses and roles, its API keys, access
 * tokens and open invitations. Does not block writers. Throws 404 `TENANT.NOT_FOUND`.
 */
export async function exportTenantArchive(
  services: Services,
  tenantId: string,
  file: string,
  progress: ArchiveProgress,
): Promise<WrittenArchive> {
  return await withTenantSnapshots(services, tenantId, (snapshots) =>
    exportTenant(file, { ...snapshots, tenantId }, { ...services, progress }),
  );
}

interface ImportOptions {
  /** Whether the archive may replace the data of an existing tenant. */
  readonly replace: boolean;
  readonly progress: ArchiveProgress;
}

/**
 * Creates a tenant from an archive, or replaces the data of an existing tenant. The data becomes visible only after all
 * of it is verified. An existing tenant keeps its status, plan, limits and members, and its revoked keys stay revoked.
 * Returns the tenant's id. Throws 409 `TENANT.TRANSITION_INVALID` if the tenant is closed, is being moved, or exists
 * and `replace` is false.
 */
export async function importTenantArchive(
  services: Services,
  actor: Actor,
  file: string,
  { replace, progress }: ImportOptions,
): Promise<string> {
  const verified = await verifyTenantArchive(file, { keyring: services.keyring, progress });
  const { tenantId } = verified;
  assertReplaceable(await findPlacedTenant(services.platform, tenantId), replace);
  const databases = databasesOf(services);
  const warn = (sentence: string) => services.logger.warn({ tenant_id: tenantId }, sentence);
  const loaded = await loadTenantArchive(file, verified, { databases, keyring: services.keyring, progress, warn });
  let former: TenantsTable | undefined;
  try {
    former = await services.platform.transaction((tx) =>
      commitImport(services, tx, actor, { loaded, replace, sha256: verified.trailer.sha256 }),
    );
  } catch (error) {
    await dropUnused({ databases, warn }, loaded.placement);
    throw explained(file, error);
  }
  if (former !== undefined) await dropUnused({ databases, warn }, former);
  return tenantId;
}

function assertReplaceable(tenant: Pick<PlacedTenant, 'name' | 'status'> | undefined, replace: boolean): void {
  if (tenant === undefined) return;
  if (tenant.status === 'closed') {
    throw new AppError(
      'TENANT.TRANSITION_INVALID',
      `The tenant ${tenant.name} is closed: purge it, then import the archive again.`,
    );
  }
  if (replace) return;
  throw new AppError(
    'TENANT.TRANSITION_INVALID',
    `The tenant ${tenant.name} already exists. To replace its data with the archive, use --replace.`,
  );
}

interface Commit {
  readonly loaded: LoadedTenant;
  readonly replace: boolean;
  readonly sha256: string;
}

/** Makes the loaded database the tenant's database. Returns the tenant's previous row, if there was one. */
async function commitImport(
  services: Services,
  tx: PlatformTransaction,
  actor: Actor,
  { loaded, replace, sha256 }: Commit,
): Promise<TenantsTable | undefined> {
  const { placement, platformRows } = loaded;
  const before = await lockTenant(tx, placement.id);
  assertReplaceable(before, replace);
  if (before !== undefined) assertNotMoving(before, services.clock);
  const at = services.clock.now();
  await noteImport(tx, services.keyring, at);
  if (before === undefined) await createArchivedTenant(tx, loaded);
  else await setPlacement(tx, placement, at);
  // API keys and access tokens are never deleted, so a missing one is new. Existing rows are kept, so that revoked ones
  // stay revoked.
  const added = before === undefined ? exportedTables : keptTables;
  for (const [table, rows] of platformRows) {
    const free = table === 'portal_handles' ? await withoutTakenHandles(tx, rows) : rows;
    if (added.has(table)) await addArchivedRows(tx, table as keyof PlatformTables, free);
  }
  if (before === undefined) await addMembers(tx, placement.id, platformRows.get('members') ?? [], at);
  const changes = [{ field: 'archive_sha256', old: null, new: sha256 }];
  const entry = { event: 'TENANT.IMPORTED', resourceType: 'tenant', resourceId: placement.id, changes, at };
  await recordPlatformAudit(tx, actor, entry);
  return before;
}

/** The tables whose archived rows are inserted unchanged when the tenant is created. */
const exportedTables: ReadonlySet<string> = new Set(
  Object.entries(platformTableRules)
    .filter(([name, { isExported }]) => isExported && name !== 'tenants' && name !== 'memberships')
    .map(([name]) => name),
);

/** The tables from which an existing tenant gets the archived rows that it does not have. */
const keptTables: ReadonlySet<string> = new Set([
  'api_keys',
  'tenant_access_tokens',
  'sales_connections',
  'audit_outbox',
]);

/** Another tenant may have taken the handle meanwhile: the imported tenant then chooses another one. */
async function withoutTakenHandles(tx: PlatformTransaction, rows: readonly ArchivedRow[]): Promise<ArchivedRow[]> {
  const free: ArchivedRow[] = [];
  // The domain is proved again: the file says who had it, and DNS shows its token to everybody.
  const unproved = { domain: null, domain_token: null, domain_verified_at: null };
  for (const row of rows) if (!(await isHandleTaken(tx, String(row['handle'])))) free.push({ ...row, ...unproved });
  return free;
}

async function createArchivedTenant(tx: PlatformTransaction, { placement, platformRows }: LoadedTenant): Promise<void> {
  const [archived] = platformRows.get('tenants') ?? [];
  if (archived === undefined || archived['id'] !== placement.id) {
    throw new Error('The archive does not contain the row of its tenant. Use another copy of the archive.');
  }
  const row = { ...archived, ...placement } as unknown as TenantsTable;
  if (!(await planExists(tx, row.plan_code))) {
    throw new Error(`The plan "${row.plan_code}" of the archived tenant does not exist here. Create the plan first.`);
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
    await createMembership(tx, { ...membership, tenant_id: tenantId, user_id: userId });
  }
}

/**
 * Deletes a closed tenant permanently: its database, members, keys, billing records, and the stored mails that it
 * caused. The platform's audit log stays.
 * Throws 404 `TENANT.NOT_FOUND`, and 409 `TENANT.TRANSITION_INVALID` if the tenant is not closed, is being moved, or
 * was closed less than `closedRetentionDays` ago and `force` is false.
 */
export async function purgeTenant(
  services: Services,
  actor: Actor,
  tenantId: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const tables = await platformTableOrder(services);
  const purged = await services.platform.transaction(async (tx) => {
    const tenant = orThrow(await lockTenant(tx, tenantId), tenantNotFound);
    assertPurgeable(services, tenant, force);
    assertNotMoving(tenant, services.clock);
    await forgetSandboxTenant(tx, tenantId, await listSandboxSubscriptions(tx, tenantId));
    await deleteTenantRows(tx, tenantId, tables);
    const changes = [{ field: 'name', old: tenant.name, new: null }];
    const at = services.clock.now();
    const entry = { event: 'TENANT.PURGED', resourceType: 'tenant', resourceId: tenantId, changes, at };
    await recordPlatformAudit(tx, actor, entry);
    return tenant;
  });
  // Dropped after the commit, when no request can open it. A crash before this leaves a database that "doctor" reports.
  await databasesOf(services).drop(purged);
  await eraseMailOfTenant(services, tenantId);
  // The write-ahead log still contains the deleted rows.
  await services.platform.forgetDeleted({ rebuild: true });
}

/** Returns the name of a tenant that may be purged. Throws as `purgeTenant` does. */
export async function describePurge(services: Services, tenantId: string, force: boolean): Promise<string> {
  const tenant = orThrow(await findPlacedTenant(services.platform, tenantId), tenantNotFound);
  assertPurgeable(services, tenant, force);
  return tenant.name;
}

function assertPurgeable(
  { clock }: Services,
  { status, closed_at }: Pick<TenantsTable, 'status' | 'closed_at'>,
  force: boolean,
): void {
  if (status !== 'closed' || closed_at === null) {
    throw new AppError(
      'TENANT.TRANSITION_INVALID',
      `Only a closed tenant can be purged, and this one is ${status}. Close it first.`,
    );
  }
  const closedBefore = toTimestamp(clock.nowMs() - closedRetentionDays * 86_400_000);
  if (force || closed_at <= closedBefore) return;
  throw new AppError(
    'TENANT.TRANSITION_INVALID',
    `The tenant was closed on ${readableDay(closed_at)}, and its data is kept for ${closedRetentionDays} days. ` +
      'Use --force to purge it now.',
  );
}

async function platformTableOrder({ config }: Services): Promise<string[]> {
  const snapshot = await readPlatformSnapshot(config);
  await snapshot.close();
  return snapshot.tables.map(({ name }) => name);
}
