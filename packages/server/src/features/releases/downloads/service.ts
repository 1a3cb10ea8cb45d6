import type { TenantDb } from '../../../db/database.ts';
import type { ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { parseEntitlements } from '../../licensing/entitlements/decision.ts';
import { readByTypedKey } from '../../licensing/licenses/license-key.ts';
import { licenseNotFound } from '../../licensing/licenses/service.ts';
import { openStorage } from '../../licensing/products/download-storage.ts';
import { findProductByName } from '../../licensing/products/service.ts';
import { verdictDetail } from '../../licensing/validation/verdict.ts';
import {
  grantedCodes,
  type JudgedRelease,
  type ReleaseDenial,
  type ReleaseSubject,
  releaseDenial,
  visibleChannels,
} from '../releases/permission.ts';
import { presentFile } from '../releases/release.ts';
import { releaseNotFound } from '../releases/service.ts';
import { versionSort } from '../releases/version.ts';
import {
  countDownload,
  type FileRow,
  findCandidates,
  findFile,
  findForReleases,
  findForReleasesById,
  insertDownloads,
  type LicenseRow,
  listFiles,
} from './queries.ts';
import type { FindRelease, LatestRelease, ReleaseDownload } from './schemas.ts';
import { linkTo } from './storage-link.ts';
import { filesFor, type WantedFiles } from './wanted-files.ts';

/** A question for the newest release. */
interface Question {
  /** The code or the id of the product. */
  readonly product: string;
  readonly licenseKey: string | undefined;
  readonly channel: string;
  readonly files: WantedFiles;
}

/** The code with which an update is refused. */
type Refusal = ReleaseDenial | 'LICENSE.KEY_REQUIRED' | 'LICENSE.NOT_FOUND';

/** What a license may have of a product. */
interface Found {
  readonly newest: { readonly row: ReleasesTable; readonly code: Refusal | null } | undefined;
  readonly permitted: ReleasesTable | undefined;
}

/**
 * Returns the newest release of a product and the newest one that the license permits. Throws 404 `PRODUCT.NOT_FOUND`, also
 * to an API key of another product.
 */
async function findNewest({ clock }: Services, { db }: Tenant, actor: Actor, question: Question): Promise<Found> {
  const { licenseKey, channel, files } = question;
  const license = licenseKey === undefined ? undefined : await readLicense(db, actor, licenseKey);
  const isNamed = license !== undefined && [license.product_id, license.product_code].includes(question.product);
  const productId = isNamed ? license.product_id : (await findProductByName(db.query, question.product))?.id;
  const isHidden = actor.productId !== undefined && actor.productId !== productId;
  if (productId === undefined || isHidden) throw productNotFound();
  const now = clock.now();
  const subject = license === undefined ? undefined : subjectOf(license);
  const permits = subject === undefined ? undefined : permissionsOf(subject, now);
  const rows = await findCandidates(db.query, { productId, channels: visibleChannels(channel), files }, permits);
  const codeOf = (row: JudgedRelease): Refusal | null => {
    if (subject !== undefined) return releaseDenial(subject, row, now);
    return licenseKey === undefined ? 'LICENSE.KEY_REQUIRED' : 'LICENSE.NOT_FOUND';
  };
  const [row] = rows;
  return {
    newest: row && { row, code: codeOf(row) },
    permitted: rows.find((candidate) => codeOf(candidate) === null),
  };
}

/** Returns what a license permits at `now`, for a query. */
export function permissionsOf(subject: ReleaseSubject, now: Timestamp) {
  return { maintainedUntil: subject.license.maintenance_expires_at, entitlements: grantedCodes(subject, now) };
}

/** Answers an application that looks for an update. Throws 404 `PRODUCT.NOT_FOUND`. */
export async function findLatest(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: FindRelease,
): Promise<LatestRelease> {
  const { product, license_key: licenseKey, channel = 'stable', current_version: current } = input;
  const files = filesFor(input.platform, input.arch);
  const { newest, permitted } = await findNewest(services, tenant, actor, { product, licenseKey, channel, files });
  const isUpdate = permitted !== undefined && isNewer(permitted, current);
  return {
    release: isUpdate ? await present(tenant.db, permitted, files) : null,
    newest: newest === undefined ? null : presentNewest(newest),
    newest_permitted: permitted === undefined ? null : { version: permitted.version },
  };
}

/**
 * Returns the newest release that a license permits with its files, for a feed; undefined if there is no release at all.
 * Throws the code of the newest one if the license permits none.
 */
export async function findForFeed(services: Services, tenant: Tenant, actor: Actor, question: Question) {
  const { newest, permitted } = await findNewest(services, tenant, actor, question);
  if (newest === undefined) return undefined;
  if (permitted === undefined) throw refused(newest.code ?? 'RELEASE.NOT_FOUND');
  return { release: permitted, files: await listFiles(tenant.db.query, permitted.id, question.files) };
}

/** Returns true if a release is newer than the installed version, or if that is unknown. */
export function isNewer({ version_sort }: Pick<ReleasesTable, 'version_sort'>, current: string | undefined): boolean {
  return current === undefined || version_sort > versionSort(current);
}

async function present(db: TenantDb, row: ReleasesTable, wanted: WantedFiles): Promise<LatestRelease['release']> {
  const { id, version, channel, notes, released_at } = row;
  const files = await listFiles(db.query, id, wanted);
  const artifacts = files.map((file) => ({ ...presentFile(file), signature: file.signature }));
  return { id, version, channel, notes, released_at: released_at ?? row.updated_at, artifacts };
}

function presentNewest({ row, code }: NonNullable<Found['newest']>): LatestRelease['newest'] {
  const { version, released_at, updated_at } = row;
  return { version, released_at: released_at ?? updated_at, code, detail: code === null ? null : detailOf(code) };
}

/** A file, as a path names it. */
export interface NamedFile {
  readonly releaseId: string;
  readonly id: string;
}

/**
 * Counts a download and returns its link. Throws 404 `RELEASE.NOT_FOUND` and `LICENSE.NOT_FOUND`, and the code with which
 * the license does not permit the release.
 */
export async function downloadFile(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  named: NamedFile,
  licenseKey: string,
): Promise<ReleaseDownload> {
  const file = await readFile(tenant.db, named);
  const isHidden = actor.productId !== undefined && actor.productId !== file.product_id;
  if (isHidden) throw releaseNotFound();
  const license = orThrow(await readLicense(tenant.db, actor, licenseKey), licenseNotFound);
  return await handOut(services, tenant, license, file);
}

/** Does the same for the license with this id, whose holder the caller knows. */
export async function downloadFileById(
  services: Services,
  tenant: Tenant,
  named: NamedFile,
  licenseId: string,
): Promise<ReleaseDownload> {
  const file = await readFile(tenant.db, named);
  const license = orThrow(await tenant.db.first(findForReleasesById, [licenseId]), licenseNotFound);
  return await handOut(services, tenant, license, file);
}

async function readFile(db: TenantDb, { releaseId, id }: NamedFile): Promise<FileRow> {
  const file = await db.first(findFile, [id, releaseId]);
  if (file === undefined || file.status !== 'published') throw releaseNotFound();
  return file;
}

async function handOut(
  { clock, keyring }: Services,
  { db }: Tenant,
  license: LicenseRow,
  file: FileRow,
): Promise<ReleaseDownload> {
  const now = clock.now();
  const subject = subjectOf(license);
  const denial = releaseDenial(subject, file, now);
  if (denial === 'LICENSE.MAINTENANCE_EXPIRED') throw await maintenanceExpired(db, subject, file, now);
  if (denial !== null) throw refused(denial);
  const link = await linkTo(clock, file.url, () => openStorage({ keyring }, license.download_storage_json));
  await countDownload(db.query, file.release_id, now.slice(0, 10));
  return { ...link, file_name: file.file_name, size: file.size, sha256: file.sha256 };
}

/** Names the newest version for the same system that the license still permits, so that it can be offered. */
async function maintenanceExpired(db: TenantDb, subject: ReleaseSubject, file: FileRow, now: Timestamp) {
  const wanted = {
    productId: file.product_id,
    channels: visibleChannels(file.channel),
    files: filesFor(file.platform, file.arch),
  };
  const candidates = await findCandidates(db.query, wanted, permissionsOf(subject, now));
  const permitted = candidates.find((candidate) => releaseDenial(subject, candidate, now) === null);
  if (permitted === undefined) return refused('LICENSE.MAINTENANCE_EXPIRED');
  const { version } = permitted;
  const message = `The maintenance of the license expired before this version was released. Renew it, or use version ${version}.`;
  return new AppError('LICENSE.MAINTENANCE_EXPIRED', message, {
    details: [{ field: 'newest_permitted', message: version }],
  });
}

async function readLicense(db: TenantDb, actor: Actor, key: string): Promise<LicenseRow | undefined> {
  return await readByTypedKey(key, actor, (spelling) => db.first(findForReleases, [spelling]));
}

/** Returns the data of a license that decides which releases it permits. */
export function subjectOf(row: LicenseRow): ReleaseSubject {
  return {
    license: row,
    policy: row,
    entitlements: {
      policy: parseEntitlements(row.policy_entitlements_json),
      license: parseEntitlements(row.entitlements_json),
    },
  };
}

/** Returns the error with which a release is refused. */
function refused(code: Refusal): AppError {
  return new AppError(code, detailOf(code));
}

function detailOf(code: Refusal): string {
  switch (code) {
    case 'RELEASE.NOT_FOUND':
      return releaseNotFound().message;
    case 'LICENSE.KEY_REQUIRED':
      return 'A file needs a license. Send the license key.';
    case 'ENTITLEMENT.NOT_GRANTED':
      return 'The license does not grant the entitlements that this version needs. Grant them, or use an older version.';
    default:
      return verdictDetail(code);
  }
}

function productNotFound(): AppError {
  return new AppError(
    'PRODUCT.NOT_FOUND',
    'There is no product with this code or id. Check the product of the request.',
  );
}

/** Writes how often the files of a new release were downloaded on past days. */
export async function createPastDownloads(
  { query }: Pick<TenantDb, 'query'>,
  releaseId: string,
  counts: Parameters<typeof insertDownloads>[2],
): Promise<void> {
  await insertDownloads(query, releaseId, counts);
}
