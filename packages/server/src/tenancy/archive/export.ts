import type { Writable } from 'node:stream';
import { type ArchivedTable, quoted, type RowsQuery, type Snapshot } from '../../db/archive/tables.ts';
import { newestMigration } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { serviceVersion } from '../../version.ts';
import { formatVersion, type Header } from './format.ts';
import { placementColumns, ruleOf } from './platform-tables.ts';
import type { ArchiveProgress } from './progress.ts';
import { type ArchiveContent, ArchiveWriter, type WrittenArchive } from './writer.ts';

/** The prefix of the platform's tables in a tenant's archive. */
export const platformPrefix = 'platform.';

interface ExportDependencies {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly progress: ArchiveProgress;
}

/** One table of an archive, and the query that reads its rows. */
interface TableSource extends RowsQuery {
  readonly name: string;
  /** The names of the columns in the archive. */
  readonly columnNames: readonly string[];
}

function wholeTable({ name, columns }: ArchivedTable): TableSource {
  const names = columns.map((column) => column.name);
  return { name, from: quoted(name), columns: names.map(quoted), columnNames: names };
}

const memberColumns = {
  id: 'memberships.id',
  role: 'memberships.role',
  created_at: 'memberships.created_at',
  user_id: 'users.id',
  email: 'users.email',
  name: 'users.name',
};

function members(tenantId: string): TableSource {
  return {
    name: `${platformPrefix}members`,
    from: 'memberships join users on users.id = memberships.user_id',
    columns: Object.values(memberColumns),
    columnNames: Object.keys(memberColumns),
    where: { column: 'memberships.tenant_id', value: tenantId },
  };
}

/** Returns the platform tables whose rows belong to a tenant, its row in `tenants` first. */
function platformTablesOf(tenantId: string, platform: Snapshot): TableSource[] {
  const exported = platform.tables.filter(({ name }) => ruleOf(name)?.isExported && name !== 'memberships');
  const tables = exported.map((table): TableSource => {
    const whole = wholeTable(withoutPlacement(table));
    const column = quoted(ruleOf(table.name)?.tenantColumn ?? 'tenant_id');
    return { ...whole, name: platformPrefix + table.name, where: { column, value: tenantId } };
  });
  return [...tables, members(tenantId)];
}

/** Returns the table without the columns that archives leave out (`placementColumns`). */
export function withoutPlacement(table: ArchivedTable): ArchivedTable {
  if (table.name !== 'tenants') return table;
  return { ...table, columns: table.columns.filter(({ name }) => !placementColumns.has(name)) };
}

/**
 * Writes a tenant's archive from two snapshots. The caller must open the platform's snapshot first: an audit record
 * that moves to the tenant in between is then in both snapshots, and the import stores it once. In the reverse order
 * it could be in neither.
 */
export async function exportTenant(
  file: string,
  { platform, tenant, tenantId }: { readonly platform: Snapshot; readonly tenant: Snapshot; readonly tenantId: string },
  dependencies: ExportDependencies,
): Promise<WrittenArchive> {
  const ofPlatform = platformTablesOf(tenantId, platform);
  const ofTenant = tenant.tables.map(wholeTable);
  const header = headerOf('tenant', dependencies.clock, { tenantId, schema: tenant.schema, platform: platform.schema });
  const sources = [
    ...ofPlatform.map((table) => ({ table, snapshot: platform })),
    ...ofTenant.map((table) => ({ table, snapshot: tenant })),
  ];
  return await ArchiveWriter.write(file, dependencies.keyring, await contentOf(header, sources, dependencies));
}

/** Writes an archive of all rows of the platform database, without the placements of the tenants' databases. */
export async function exportPlatform(
  file: string,
  platform: Snapshot,
  dependencies: ExportDependencies,
): Promise<WrittenArchive> {
  const header = headerOf('platform', dependencies.clock, { tenantId: null, schema: null, platform: platform.schema });
  const sources = platform.tables.map((table) => ({ table: wholeTable(withoutPlacement(table)), snapshot: platform }));
  return await ArchiveWriter.write(file, dependencies.keyring, await contentOf(header, sources, dependencies));
}

/** Streams an archive of a tenant's database, for a move: the platform's rows stay where they are. */
export async function streamTenant(
  stream: Writable,
  { tenant, tenantId }: { readonly tenant: Snapshot; readonly tenantId: string },
  dependencies: ExportDependencies,
): Promise<void> {
  const platform = newestMigration(platformMigrations);
  const header = headerOf('tenant', dependencies.clock, { tenantId, schema: tenant.schema, platform });
  const sources = tenant.tables.map((table) => ({ table: wholeTable(table), snapshot: tenant }));
  await ArchiveWriter.stream(stream, dependencies.keyring, await contentOf(header, sources, dependencies, 'Copying'));
}

/** Streams an archive of all rows of the platform database, for a move: with the placements of the databases. */
export async function streamPlatform(
  stream: Writable,
  platform: Snapshot,
  dependencies: ExportDependencies,
): Promise<void> {
  const header = headerOf('platform', dependencies.clock, { tenantId: null, schema: null, platform: platform.schema });
  const sources = platform.tables.map((table) => ({ table: wholeTable(table), snapshot: platform }));
  await ArchiveWriter.stream(stream, dependencies.keyring, await contentOf(header, sources, dependencies, 'Copying'));
}

type UnsignedHeader = Omit<Header, 'app_key_fingerprint'>;

function headerOf(
  archive: Header['archive'],
  clock: Clock,
  { tenantId, schema, platform }: { tenantId: string | null; schema: string | null; platform: string },
): UnsignedHeader {
  return {
    archive,
    version: formatVersion,
    service_version: serviceVersion,
    created_at: clock.now(),
    tenant_id: tenantId,
    schema,
    platform_schema: platform,
  };
}

async function contentOf(
  header: UnsignedHeader,
  sources: readonly { readonly table: TableSource; readonly snapshot: Snapshot }[],
  { keyring, progress }: ExportDependencies,
  stage = 'Writing',
): Promise<ArchiveContent> {
  let total = 0;
  for (const { table, snapshot } of sources) total += await snapshot.count(table);
  progress.begin(stage, total);
  return async (writer) => {
    await writer.header({ ...header, app_key_fingerprint: keyring.fingerprint });
    for (const { table, snapshot } of sources) {
      const line = { table: table.name, columns: [...table.columnNames] };
      await writer.table(line, snapshot.rows(table), (rows, bytes) => progress.advance(rows, bytes));
    }
  };
}
