import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { insertRow, updateRows } from '../../../db/rows.ts';
import type { ReleaseArtifactsTable, ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import { pageOf } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError, type ErrorDetail, orThrow, validationError } from '../../../lib/error.ts';
import { createAddressPolicy } from '../../../lib/public-addresses.ts';
import { checkPublicUrl } from '../../../lib/public-url.ts';
import type { ClockServices, Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { readDefinitions } from '../../licensing/entitlements/service.ts';
import { findProductById, productNotFound } from '../../licensing/products/service.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import type { EventType } from '../../tenant-core/events/schemas.ts';
import {
  deleteReleaseRow,
  findRelease,
  listArtifacts,
  listDownloads,
  listReleases,
  lockRelease,
  replaceArtifacts,
  sumDownloads,
} from './queries.ts';
import { applyReleaseInput, newRelease, presentRelease, type ReleaseWithFiles } from './release.ts';
import type {
  CreateRelease,
  Release,
  ReleaseDownloads,
  ReleaseDownloadsQuery,
  ReleasesQuery,
  UpdateRelease,
} from './schemas.ts';

const auditOf = auditsOf('release');

declare module '../../tenant-core/events/event.ts' {
  interface EventDataTypes {
    'release.published': Release;
    'release.yanked': Release;
  }
}

const auditedFields = [
  'version',
  'channel',
  'status',
  'notes',
  'released_at',
  'minimum_entitlements',
  'yanked_reason',
  'artifacts',
] as const;

/** Maximum days of one response. */
const daysMax = 1000;

/** A release of a product, as a path names it. */
export interface NamedRelease {
  readonly productId: string;
  readonly id: string;
}

/** Returns a page of the releases of a product, newest version first. Throws 404, and 422 for an invalid cursor. */
export async function readReleases({ db }: Tenant, productId: string, query: ReleasesQuery): Promise<Page<Release>> {
  if ((await findProductById(db, productId)) === undefined) throw productNotFound();
  const page = pageOf(await listReleases(db, productId, query), query.limit, (row) => [row.version_sort]);
  return { ...page, rows: await present(db.query, page.rows) };
}

/** Returns a release. Throws 404 `RELEASE.NOT_FOUND`. */
export async function readRelease({ db }: Tenant, { productId, id }: NamedRelease): Promise<Release> {
  const row = orThrow(await findRelease(db.query, productId, id), releaseNotFound);
  return only(await present(db.query, [row]));
}

/** Returns the files of releases, by the id of the release. */
export async function listFilesOf(
  { query }: Pick<TenantDb, 'query'>,
  rows: readonly ReleasesTable[],
): Promise<ReadonlyMap<string, readonly ReleaseArtifactsTable[]>> {
  const ids = rows.map(({ id }) => id);
  return Map.groupBy(await listArtifacts(query, ids), ({ release_id }) => release_id);
}

async function present(query: TenantDb['query'], rows: readonly ReleasesTable[]): Promise<Release[]> {
  const files = await listFilesOf({ query }, rows);
  const ids = rows.map(({ id }) => id);
  const downloads = await sumDownloads(query, ids);
  return rows.map((row) => presentRelease({ row, artifacts: files.get(row.id) ?? [] }, downloads.get(row.id) ?? 0));
}

function only(releases: readonly Release[]): Release {
  const [release] = releases;
  if (release === undefined) throw releaseNotFound();
  return release;
}

/** Creates a draft. Throws 404, 409 `RELEASE.VERSION_TAKEN`, and 422 for an address or an entitlement. */
export async function createRelease(
  services: Services,
  { db }: Tenant,
  actor: Actor,
  productId: string,
  input: CreateRelease,
): Promise<Release> {
  const checked = await checkedInput(services, db, input);
  return await db
    .transaction(async (tx) => {
      const at = services.clock.now();
      const release = newRelease(productId, { ...input, ...checked }, at);
      await insertRow(tx, 'releases', release.row);
      await replaceArtifacts(tx, release.row.id, release.artifacts);
      const presented = presentRelease(release, 0);
      const changes = createdFields(presented, auditedFields);
      await recordAudit(tx, actor, { ...auditOf(presented.id, 'RELEASE.CREATED'), changes, at });
      return presented;
    })
    .catch(explainConflict);
}

/** Changes the fields of a draft that are present. Throws as `createRelease`, and 409 `RELEASE.TRANSITION_INVALID`. */
export async function updateRelease(
  services: Services,
  { db }: Tenant,
  actor: Actor,
  named: NamedRelease,
  input: UpdateRelease,
): Promise<Release> {
  const checked = await checkedInput(services, db, input);
  return await db
    .transaction(async (tx) => {
      const before = await lockDraft(tx, named, 'changed');
      const after = applyReleaseInput(before, { ...input, ...checked });
      const at = services.clock.now();
      const changes = changedFields(presentRelease(before, 0), presentRelease(after, 0), auditedFields);
      if (changes.length === 0) return presentRelease(before, 0);
      const row = { ...after.row, updated_at: at };
      await updateRows(tx, 'releases', row.id, row);
      if (input.artifacts !== undefined) await replaceArtifacts(tx, row.id, after.artifacts);
      await recordAudit(tx, actor, { ...auditOf(row.id, 'RELEASE.UPDATED'), changes, at });
      return presentRelease({ ...after, row }, 0);
    })
    .catch(explainConflict);
}

/** Deletes a draft. Throws 404 `RELEASE.NOT_FOUND` and 409 `RELEASE.TRANSITION_INVALID`. */
export async function deleteRelease({ clock }: Services, { db }: Tenant, actor: Actor, named: NamedRelease) {
  await db.transaction(async (tx) => {
    const { row } = await lockDraft(tx, named, 'deleted');
    await deleteReleaseRow(tx, row.id);
    await recordAudit(tx, actor, { ...auditOf(row.id, 'RELEASE.DELETED'), at: clock.now() });
  });
}

/**
 * Publishes a draft; a published release stays as it is. Throws 404 `RELEASE.NOT_FOUND`, 409
 * `RELEASE.TRANSITION_INVALID` for a withdrawn one, and 409 `RELEASE.ARTIFACT_REQUIRED` without a file.
 */
export async function publishRelease(services: Services, tenant: Tenant, actor: Actor, named: NamedRelease) {
  return await change(services, tenant, actor, { ...named, event: 'release.published' }, (release, at) => {
    if (release.row.status === 'published') return release.row;
    if (release.row.status === 'yanked') throw transitionInvalid('The release is withdrawn. Create another one.');
    if (release.artifacts.length > 0) return { ...release.row, status: 'published', released_at: at };
    throw new AppError('RELEASE.ARTIFACT_REQUIRED', 'Add a file to the release, then publish it.');
  });
}

/** Withdraws a published release; a withdrawn one keeps its reason. Throws 404, and 409 for a draft. */
export async function yankRelease(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { reason, ...named }: NamedRelease & { readonly reason: string },
) {
  return await change(services, tenant, actor, { ...named, event: 'release.yanked' }, ({ row }) => {
    if (row.status === 'draft') throw transitionInvalid('The release is a draft. Delete it instead.');
    return row.status === 'yanked' ? row : { ...row, status: 'yanked', yanked_reason: reason };
  });
}

async function change(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { event, ...named }: NamedRelease & { readonly event: EventType & `release.${string}` },
  decide: (release: ReleaseWithFiles, at: Timestamp) => ReleasesTable,
): Promise<Release> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lock(tx, named);
    const at = services.clock.now();
    const decided = decide(before, at);
    const downloads = (await sumDownloads(tx, [named.id])).get(named.id) ?? 0;
    const row = decided === before.row ? before.row : { ...decided, updated_at: at };
    const release = presentRelease({ ...before, row }, downloads);
    if (row === before.row) return release;
    await updateRows(tx, 'releases', row.id, row);
    const changes = changedFields(presentRelease(before, downloads), release, auditedFields);
    await recordAudit(tx, actor, { ...auditOf(row.id, event.toUpperCase()), changes, at });
    await outbox.record({ type: event, data: () => release, requestId: actor.requestId, at });
    return release;
  });
}

/**
 * Returns the days on which files of the release were requested, oldest first: at most 1,000, by default of the last 90
 * days. Throws 404 `RELEASE.NOT_FOUND`.
 */
export async function readDownloads(
  { clock }: ClockServices,
  { db }: Tenant,
  { productId, id }: NamedRelease,
  { from, to }: ReleaseDownloadsQuery,
): Promise<ReleaseDownloads[]> {
  if ((await findRelease(db.query, productId, id)) === undefined) throw releaseNotFound();
  const now = clock.now();
  const days = { from: from ?? addDays(now, -90).slice(0, 10), to: to ?? now.slice(0, 10), limit: daysMax };
  return await listDownloads(db, id, days);
}

async function lockDraft(tx: TenantTransaction, named: NamedRelease, verb: string): Promise<ReleaseWithFiles> {
  const release = await lock(tx, named);
  if (release.row.status === 'draft') return release;
  throw transitionInvalid(`Only a draft can be ${verb}. Withdraw a published release instead, and create another one.`);
}

async function lock(tx: TenantTransaction, { productId, id }: NamedRelease): Promise<ReleaseWithFiles> {
  const row = orThrow(await lockRelease(tx, productId, id), releaseNotFound);
  return { row, artifacts: await listArtifacts(tx, [id]) };
}

/** Returns the normalised files of an input. Throws 422 for addresses that are not public, and for unknown entitlements. */
async function checkedInput(
  { config }: Services,
  db: TenantDb,
  { artifacts, minimum_entitlements = [] }: UpdateRelease,
): Promise<Pick<UpdateRelease, 'artifacts'>> {
  const problems: ErrorDetail[] = [];
  const addresses = createAddressPolicy(config.webhookAllowedCidrs);
  const files = artifacts?.map((file, index) => {
    const checked = checkPublicUrl(file.url, { allowHttp: false, addresses });
    if ('url' in checked) return { ...file, url: checked.url };
    problems.push({ field: `artifacts.${index}.url`, message: checked.problem });
    return file;
  });
  const known = minimum_entitlements.length === 0 ? new Map() : await readDefinitions(db);
  for (const [index, code] of minimum_entitlements.entries()) {
    if (!known.has(code)) {
      problems.push({ field: `minimum_entitlements.${index}`, message: `There is no entitlement ${code}.` });
    }
  }
  if (problems.length > 0) throw validationError(...problems);
  return files === undefined ? {} : { artifacts: files };
}

/** Returns the same error for an unknown release and for another tenant's, so that ids cannot be probed. */
export function releaseNotFound(): AppError {
  return new AppError(
    'RELEASE.NOT_FOUND',
    'The release does not exist. List the releases of the product to find its id.',
  );
}

function transitionInvalid(message: string): AppError {
  return new AppError('RELEASE.TRANSITION_INVALID', message);
}

function explainConflict(cause: unknown): never {
  if (isForeignKeyViolation(cause)) throw productNotFound();
  if (!isUniqueViolation(cause)) throw cause;
  const message = 'Another release of the product has this version. Choose another one.';
  throw new AppError('RELEASE.VERSION_TAKEN', message, { details: [{ field: 'version', message }], cause });
}
