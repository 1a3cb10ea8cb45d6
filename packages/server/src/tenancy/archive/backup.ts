import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Snapshot } from '../../db/archive/tables.ts';
import { readPlatformSnapshot } from '../../db/platform.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/error.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { inParallel } from '../../lib/work-queue.ts';
import { serviceVersion } from '../../version.ts';
import { exportPlatform, exportTenant } from './export.ts';
import { formatVersion, refusal } from './format.ts';
import {
  archiveEntry,
  type Manifest,
  platformArchive,
  tenantArchive,
  tenantFolder,
  writeManifest,
} from './manifest.ts';
import { type ArchiveProgress, silentProgress } from './progress.ts';
import { type ReadArchive, readArchive } from './reader.ts';

/** The number of tenants exported concurrently, so that compressing one overlaps with reading another. */
const parallelism = 4;

/** The dependencies of `backUp`. */
export interface BackupDependencies {
  readonly config: Config;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly progress: ArchiveProgress;
  /** Opens a snapshot of the platform, then one of the tenant (in this order), and passes both to `work`. */
  readonly withTenantSnapshots: <Result>(
    tenantId: string,
    work: (snapshots: { readonly platform: Snapshot; readonly tenant: Snapshot }) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * Writes an archive of the platform and one of each tenant into a folder, then the manifest, which marks the backup
 * as complete. Resumes an interrupted backup in the same folder: complete archives are kept. Returns the manifest.
 */
export async function backUp(folder: string, dependencies: BackupDependencies): Promise<Manifest> {
  const { keyring, clock, progress } = dependencies;
  await prepareFolder(folder);
  // The platform comes first: an audit record that moves to its tenant in between is then in both, never in neither.
  const platform = await backUpPlatform(folder, dependencies);
  const tenants: Manifest['tenants'] = [];
  progress.begin('Backing up', null);
  await inParallel(platform.tenantIds, parallelism, async (id) => {
    const entry = await backUpTenant(folder, id, dependencies);
    tenants.push({ id, ...entry });
    progress.advance(entry.rows, entry.bytes);
  });
  const manifest: Manifest = {
    backup: 'licensing',
    version: formatVersion,
    service_version: serviceVersion,
    started_at: platform.read.header.created_at,
    finished_at: clock.now(),
    platform_schema: platform.read.header.platform_schema,
    app_key_fingerprint: keyring.fingerprint,
    platform: await entryOf(platformArchive(folder), platform.read),
    tenants: tenants.sort((left, right) => (left.id < right.id ? -1 : 1)),
  };
  await writeManifest(folder, manifest, keyring);
  return manifest;
}

/** Creates the folder, or accepts that of an interrupted backup and deletes its partial files. */
async function prepareFolder(folder: string): Promise<void> {
  makeFolder(tenantFolder(folder));
  const names = await readdir(folder);
  if (names.includes('manifest.json')) throw refusal(folder, 'holds a complete backup already: choose another folder.');
  const foreign = names.find(
    (name) => !/^(tenants|platform\.ndjson\.gz(\.[0-9a-f]+\.partial)?|manifest\.json\.partial)$/.test(name),
  );
  if (foreign !== undefined) throw refusal(folder, `holds other files (${foreign}): choose an empty folder.`);
  for (const path of [folder, tenantFolder(folder)]) {
    for (const name of await readdir(path)) if (name.endsWith('.partial')) await rm(join(path, name));
  }
}

/**
 * Reads an archive that an interrupted backup completed; undefined when there is none. A file gets its final name only
 * once it is complete, so an unreadable file has another cause: this throws, and does not delete the file.
 */
async function readComplete(
  file: string,
  keyring: Keyring,
  visitor: RowsVisitor = {},
): Promise<ReadArchive | undefined> {
  return (await stat(file).catch(() => undefined)) === undefined
    ? undefined
    : await readArchive(file, keyring, visitor);
}

type RowsVisitor = NonNullable<Parameters<typeof readArchive>[2]>;

async function backUpPlatform(
  folder: string,
  dependencies: BackupDependencies,
): Promise<{ readonly read: ReadArchive; readonly tenantIds: readonly string[] }> {
  const { config, keyring } = dependencies;
  const file = platformArchive(folder);
  const known = collectTenantIds();
  const complete = await readComplete(file, keyring, known.visitor);
  if (complete !== undefined) return { read: complete, tenantIds: known.ids };
  const platform = await readPlatformSnapshot(config);
  try {
    await exportPlatform(file, platform, dependencies);
  } finally {
    await platform.close();
  }
  const written = collectTenantIds();
  // Reading the new file back detects a faulty disk now rather than at the restore.
  return { read: await readArchive(file, keyring, written.visitor), tenantIds: written.ids };
}

/** Collects the ids of the tenants in an archive of the platform: exactly these tenants belong to the backup. */
function collectTenantIds(): { readonly ids: string[]; readonly visitor: RowsVisitor } {
  const ids: string[] = [];
  let idAt = -1;
  const visitor: RowsVisitor = {
    onTable: ({ table, columns }) => {
      idAt = table === 'tenants' ? columns.indexOf('id') : -1;
    },
    onRows: (lines) => {
      if (idAt >= 0) ids.push(...lines.map((line) => String(JSON.parse(line)[idAt])));
      return Promise.resolve();
    },
  };
  return { ids, visitor };
}

async function backUpTenant(
  folder: string,
  tenantId: string,
  { keyring, clock, withTenantSnapshots }: BackupDependencies,
): Promise<Manifest['platform']> {
  if (!isUuid(tenantId))
    throw new Error(`The platform lists a tenant ${tenantId}, which is not a valid id: run "licensing doctor".`);
  const file = tenantArchive(folder, tenantId);
  const complete = await readComplete(file, keyring);
  if (complete !== undefined) {
    if (complete.header.tenant_id !== tenantId)
      throw refusal(file, 'holds another tenant: remove the file, and run the backup again.');
    return await entryOf(file, complete);
  }
  try {
    return await withTenantSnapshots(tenantId, async (snapshots) =>
      archiveEntry(await exportTenant(file, { ...snapshots, tenantId }, { keyring, clock, progress: silentProgress })),
    );
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'TENANT.NOT_FOUND')) throw error;
    // The archive of the platform lists the purged tenant, so the next run must write a new one.
    await rm(platformArchive(folder), { force: true });
    throw new Error(`The tenant ${tenantId} was purged during the backup: run the backup again.`, { cause: error });
  }
}

async function entryOf(file: string, { trailer, rows }: ReadArchive): Promise<Manifest['platform']> {
  const { size: bytes } = await stat(file);
  return { sha256: trailer.sha256, rows, bytes };
}
