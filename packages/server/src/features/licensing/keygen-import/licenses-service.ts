import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { AppError } from '../../../lib/error.ts';
import { inParallel } from '../../../lib/work-queue.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { storeGrants } from '../entitlements/grants.ts';
import { activationCapacity } from '../licenses/activation-capacity.ts';
import {
  asCopy,
  issueCopies,
  type LicenseReplacement,
  readKeyOwners,
  readLicenses,
  replaceCopies,
} from '../licenses/copied-service.ts';
import { newLicense } from '../licenses/service.ts';
import { changedHere, deletedHere, grantedCodes, planFull, takeAllowance } from './catalog-service.ts';
import type { BatchAccess, ImportRun, KnownPolicy, ResourceOutcome } from './context.ts';
import { compareDigests, licenseDigest } from './digest.ts';
import type { Note } from './finding.ts';
import { mapLicense, ownerOf } from './license-mapping.ts';
import { findImported, insertImported, updateDigests } from './queries.ts';
import { type Resource, relatedId } from './resource.ts';

const kind = 'licenses';
/** Requests for the entitlements of licenses at the same time. */
const requestsAtOnce = 8;

/** The codes that Keygen grants a license, with the differences. */
interface LicenseGrants {
  readonly codes: readonly string[];
  readonly notes: readonly Note[];
}

/** Reads the entitlements of licenses, by the license's id: one request per license, unless the account has none. */
export async function fetchGrants(
  run: ImportRun,
  resources: readonly Resource[],
): Promise<ReadonlyMap<string, LicenseGrants>> {
  const grants = new Map<string, LicenseGrants>();
  if (!run.options.readsLicenseEntitlements || run.entitlements.size === 0) return grants;
  await inParallel(resources, requestsAtOnce, async ({ id }) => {
    const notes: Note[] = [];
    grants.set(id, { codes: await grantedCodes(run, `licenses/${encodeURIComponent(id)}/entitlements`, notes), notes });
  });
  return grants;
}

/** A license as it would be here. */
interface Drafted {
  readonly id: string;
  readonly row: LicensesTable;
  readonly policySourceId: string;
  readonly policy: KnownPolicy;
  readonly ownerId: string | null;
  readonly notes: readonly Note[];
}

/** The state of our licenses before a batch, and the changes of the batch. */
interface Batch {
  readonly imported: ReadonlyMap<string, ImportedResourcesTable>;
  readonly existing: ReadonlyMap<string, LicensesTable>;
  /** The licenses that have a key of the batch, by key. */
  readonly owners: ReadonlyMap<string, string>;
  readonly created: LicensesTable[];
  readonly rows: ImportedResourcesTable[];
  readonly replaced: LicenseReplacement[];
  readonly digests: Map<string, string>;
}

/** Imports a batch of licenses. Writes nothing to the tenant in a dry run. */
export async function importLicenses(
  run: ImportRun,
  resources: readonly Resource[],
  grants: ReadonlyMap<string, LicenseGrants>,
  { db, at, write }: BatchAccess,
): Promise<ResourceOutcome[]> {
  const mapped = resources.map((resource) => draftOf(run, resource, grants.get(resource.id), at));
  const drafts = mapped.filter((draft) => 'row' in draft);
  const refusals = mapped.filter((draft) => 'result' in draft);
  const imported = await findImported(
    db,
    kind,
    drafts.map(({ id }) => id),
  );
  const ids = [...imported.values()].map((row) => row.target_id);
  const existing = await readLicenses(db, ids, write !== null);
  const owners = await readKeyOwners(
    db,
    drafts.map(({ row }) => row.key),
  );
  const batch: Batch = { imported, existing, owners, created: [], rows: [], replaced: [], digests: new Map() };
  const outcomes = drafts.map((draft) => decide(run, batch, draft));
  if (write !== null) await writeBatch(run, batch, write, at);
  return [...refusals, ...outcomes];
}

/** Maps a license, or returns the outcome of one that is refused. */
function draftOf(
  run: ImportRun,
  resource: Resource,
  { codes, notes: ofCodes }: LicenseGrants = { codes: [], notes: [] },
  at: string,
): Drafted | ResourceOutcome {
  const { id } = resource;
  const refuse = (refusal: Note): ResourceOutcome => ({ id, result: 'refused', notes: [refusal] });
  const policySourceId = relatedId(resource, 'policy') ?? '';
  const policy = run.policies.get(policySourceId);
  if (policy === undefined)
    return refuse({ outcome: 'refused', field: 'policy', message: 'Its policy was not imported.' });
  const ownerId = ownerOf(resource);
  const holder = ownerId === null ? undefined : run.file.get('users', ownerId);
  const notes: Note[] = [...ofCodes];
  if (ownerId !== null && holder === undefined)
    notes.push({ outcome: 'left_out', field: 'owner', message: 'Keygen does not list its owner among the users.' });
  const mapped = mapLicense(resource, policy, holder ?? null, at);
  if ('refusal' in mapped) return refuse(mapped.refusal);
  const grants = codes.filter((code) => !policy.codes.has(code)).map((code) => ({ code }));
  const { stored } = storeGrants(run.definitions, grants);
  try {
    const row = newLicense(policy.row, mapped.key, { ...mapped.change, entitlements: stored }, at, run.timezone);
    notes.push(...mapped.notes);
    return { id, row: asCopy(row, mapped, at), policySourceId, policy, ownerId, notes };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refuse({ outcome: 'refused', message: error.details?.[0]?.message ?? error.message });
  }
}

function decide(run: ImportRun, batch: Batch, draft: Drafted): ResourceOutcome {
  const { id, row, notes } = draft;
  const known = batch.imported.get(id);
  const owner = batch.owners.get(row.key);
  const isOthers = owner !== undefined && owner !== known?.target_id;
  if (known !== undefined) return decideKnown(run, batch, draft, known, isOthers);
  if (isOthers || run.file.isMarked('key', row.key)) return { id, result: 'refused', notes: [keyTaken] };
  if (!takeAllowance(run, 'licenses')) return { id, result: 'refused', notes: [planFull('licenses')] };
  batch.created.push(row);
  const digest = licenseDigest(row);
  batch.rows.push({ kind, source_id: id, source: run.source.name, target_id: row.id, digest });
  remember(run, draft, row);
  return { id, result: 'created', notes };
}

const keyTaken: Note = { outcome: 'refused', field: 'key', message: 'Another license of the tenant has this key.' };

function decideKnown(
  run: ImportRun,
  { existing, replaced, digests }: Batch,
  draft: Drafted,
  { target_id, digest: last }: ImportedResourcesTable,
  isTaken: boolean,
): ResourceOutcome {
  const { id, row, notes } = draft;
  const current = existing.get(target_id);
  if (current === undefined) return { id, result: 'conflict', notes: [...notes, deletedHere] };
  const digest = licenseDigest(row);
  const result = compareDigests({ last, theirs: digest, ours: licenseDigest(current) }, run.options.overwrites);
  const conflict =
    result === 'unchanged' ? null : result === 'conflict' ? changedHere : conflictOf(row, current, isTaken);
  const after = result === 'unchanged' || conflict !== null ? current : merged(current, row);
  remember(run, draft, after);
  if (conflict !== null) return { id, result: 'conflict', notes: [...notes, conflict] };
  if (result === 'updated') replaced.push({ before: current, after });
  if (digest !== last) digests.set(id, digest);
  return { id, result, notes };
}

/** Returns the reason why our license cannot get the state of Keygen; null if it can. */
function conflictOf(draft: LicensesTable, current: LicensesTable, isTaken: boolean): Note | null {
  const conflict = (message: string): Note => ({ outcome: 'conflict', message });
  if (isTaken) return conflict('Its key in Keygen is the key of another license of the tenant.');
  if (current.status === 'revoked' && draft.status !== 'revoked')
    return conflict('It is revoked here, which is final, and usable in Keygen.');
  if (current.product_id !== draft.product_id)
    return conflict('Its policy in Keygen now belongs to another product, which is not possible here.');
  return null;
}

/** Returns our license with the fields that the import writes. */
function merged(current: LicensesTable, draft: LicensesTable): LicensesTable {
  const { id, created_at, deactivations_count, last_validated_at, updated_at } = current;
  return { ...draft, id, created_at, deactivations_count, last_validated_at, updated_at };
}

function remember({ file }: ImportRun, { id, policySourceId, policy, ownerId }: Drafted, row: LicensesTable): void {
  const { admitted } = activationCapacity(row, policy.row);
  file.put('licenses', id, { targetId: row.id, policySourceId, admitted });
  file.mark('key', row.key);
  if (ownerId !== null) file.countUse('users', ownerId);
}

async function writeBatch(
  { services, actor, options }: ImportRun,
  { created, rows, replaced, digests }: Batch,
  { tx, outbox, tenant }: NonNullable<BatchAccess['write']>,
  at: string,
): Promise<void> {
  const copy = { actor, at, publishes: options.publishes };
  await issueCopies(services, tx, outbox, created, copy);
  await insertImported(tx, rows);
  await replaceCopies(services, tx, outbox, replaced, copy);
  await updateDigests(tx, kind, digests);
  const count = created.length;
  if (count > 0) await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count, at, requestId: null });
}
