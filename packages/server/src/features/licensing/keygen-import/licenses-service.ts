import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { AppError } from '../../../lib/error.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { activationCapacity } from '../activations/capacity.ts';
import { storeGrants } from '../entitlements/grants.ts';
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
import type { Note, Result } from './finding.ts';
import { mapLicense, ownerOf } from './license-mapping.ts';
import { findImported, insertImported, updateDigests } from './queries.ts';
import { type Resource, relatedId } from './resource.ts';

const kind = 'licenses';
/** Requests for the entitlements of licenses at the same time. */
const requestsAtOnce = 8;

/** A license with the codes that Keygen grants it; null if they are not read. */
export interface FetchedLicense {
  readonly resource: Resource;
  readonly codes: readonly string[] | null;
  readonly notes: readonly Note[];
}

/** Reads the entitlements of licenses: one request per license, unless the account has none. */
export async function fetchEntitlements(run: ImportRun, resources: readonly Resource[]): Promise<FetchedLicense[]> {
  const isNeeded = run.options.readsLicenseEntitlements && run.entitlements.size > 0;
  const fetched: FetchedLicense[] = [];
  for (let start = 0; start < resources.length; start += requestsAtOnce) {
    const group = resources.slice(start, start + requestsAtOnce).map(async (resource): Promise<FetchedLicense> => {
      if (!isNeeded) return { resource, codes: null, notes: [] };
      const notes: Note[] = [];
      const codes = await grantedCodes(run, `licenses/${encodeURIComponent(resource.id)}/entitlements`, notes);
      return { resource, codes, notes };
    });
    fetched.push(...(await Promise.all(group)));
  }
  return fetched;
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

interface Decision {
  readonly result: Result;
  readonly notes: readonly Note[];
  /** Our license; null if there is none. */
  readonly row: LicensesTable | null;
  readonly replaced?: LicensesTable;
  readonly digest?: string;
}

/** Imports a batch of licenses. Writes nothing to the tenant in a dry run. */
export async function importLicenses(
  run: ImportRun,
  fetched: readonly FetchedLicense[],
  { db, at, write: target }: BatchAccess,
): Promise<ResourceOutcome[]> {
  const mapped = fetched.map((license) => draftOf(run, license, at));
  const drafts = mapped.filter((draft) => 'row' in draft);
  const refusals = mapped.filter((draft) => 'result' in draft);
  const imported = await findImported(
    db,
    kind,
    drafts.map(({ id }) => id),
  );
  const ids = [...imported.values()].map((row) => row.target_id);
  const existing = await readLicenses(db, ids, target !== null);
  const owners = await readKeyOwners(
    db,
    drafts.map(({ row }) => row.key),
  );
  const writes: Writes = { created: [], replaced: [], digests: new Map() };
  const outcomes = drafts.map((draft): ResourceOutcome => {
    const { result, notes, row, replaced, digest } = decide(run, draft, { imported, existing, owners });
    if (row !== null) {
      if (result === 'created') writes.created.push({ id: draft.id, row });
      if (replaced !== undefined) writes.replaced.push({ before: replaced, after: row });
      if (digest !== undefined) writes.digests.set(draft.id, digest);
      rememberLicense(run, draft, row);
    }
    return { id: draft.id, result, notes: [...(result === 'refused' ? [] : draft.notes), ...notes] };
  });
  if (target !== null) await write(run, target, at, writes);
  return [...refusals, ...outcomes];
}

function rememberLicense({ file }: ImportRun, { id, policySourceId, policy, ownerId }: Drafted, row: LicensesTable) {
  const { admitted } = activationCapacity(row, policy.row);
  file.put('licenses', id, { targetId: row.id, policySourceId, admitted });
  file.mark('key', row.key);
  if (ownerId !== null) file.countUse('users', ownerId);
}

function draftOf(
  run: ImportRun,
  { resource, codes, notes: ofCodes }: FetchedLicense,
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
  const grants = (codes ?? []).filter((code) => !policy.codes.has(code)).map((code) => ({ code }));
  const { stored } = storeGrants(run.definitions, grants);
  try {
    const row = newLicense(policy.row, mapped.key, { ...mapped.change, entitlements: stored }, at);
    notes.push(...mapped.notes);
    return { id, row: asCopy(row, mapped, at), policySourceId, policy, ownerId, notes };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refuse({ outcome: 'refused', message: error.details?.[0]?.message ?? error.message });
  }
}

interface Ours {
  readonly imported: ReadonlyMap<string, ImportedResourcesTable>;
  readonly existing: ReadonlyMap<string, LicensesTable>;
  /** The licenses that have a key of the batch, by key. */
  readonly owners: ReadonlyMap<string, string>;
}

function decide(run: ImportRun, draft: Drafted, { imported, existing, owners }: Ours): Decision {
  const { key } = draft.row;
  const known = imported.get(draft.id);
  const owner = owners.get(key);
  const isOthers = owner !== undefined && owner !== known?.target_id;
  if (known === undefined) return decideNew(run, draft, isOthers || run.file.isMarked('key', key));
  return decideKnown(run, draft, existing.get(known.target_id), { digest: known.digest, isTaken: isOthers });
}

const keyTaken: Note = { outcome: 'refused', field: 'key', message: 'Another license of the tenant has this key.' };

function decideNew(run: ImportRun, { row }: Drafted, isTaken: boolean): Decision {
  if (isTaken) return { result: 'refused', notes: [keyTaken], row: null };
  if (!takeAllowance(run, 'licenses')) return { result: 'refused', notes: [planFull('licenses')], row: null };
  return { result: 'created', notes: [], row };
}

interface Known {
  /** The digest of the fields that the last import wrote. */
  readonly digest: string;
  /** True if its key is the key of another license. */
  readonly isTaken: boolean;
}

const conflictOf = (message: string): Note => ({ outcome: 'conflict', message });

function decideKnown(
  { options }: ImportRun,
  { row: draft }: Drafted,
  current: LicensesTable | undefined,
  { digest: last, isTaken }: Known,
): Decision {
  if (current === undefined) return { result: 'conflict', notes: [deletedHere], row: null };
  const digest = licenseDigest(draft);
  const result = compareDigests({ last, theirs: digest, ours: licenseDigest(current) }, options.overwrites);
  if (result === 'unchanged') return { result, notes: [], row: current, ...(digest !== last && { digest }) };
  const keep = (note: Note): Decision => ({ result: 'conflict', notes: [note], row: current });
  if (result === 'conflict') return keep(changedHere);
  if (isTaken) return keep(conflictOf('Its key in Keygen is the key of another license of the tenant.'));
  if (current.status === 'revoked' && draft.status !== 'revoked')
    return keep(conflictOf('It is revoked here, which is final, and usable in Keygen.'));
  if (current.product_id !== draft.product_id)
    return keep(conflictOf('Its policy in Keygen now belongs to another product, which is not possible here.'));
  const row = merged(current, draft);
  return { result, notes: [], row, replaced: current, digest };
}

/** Returns our license with the fields that the import writes. */
function merged(current: LicensesTable, draft: LicensesTable): LicensesTable {
  const { id, created_at, deactivations_count, last_validated_at, updated_at } = current;
  return { ...draft, id, created_at, deactivations_count, last_validated_at, updated_at };
}

interface Writes {
  readonly created: { readonly id: string; readonly row: LicensesTable }[];
  readonly replaced: LicenseReplacement[];
  readonly digests: Map<string, string>;
}

async function write(
  { services, actor, options, source }: ImportRun,
  { tx, outbox, tenant }: NonNullable<BatchAccess['write']>,
  at: string,
  { created, replaced, digests }: Writes,
): Promise<void> {
  const copy = { actor, at, publishes: options.publishes };
  await issueCopies(
    services,
    tx,
    outbox,
    created.map(({ row }) => row),
    copy,
  );
  await insertImported(
    tx,
    created.map(({ id, row }) => ({
      kind,
      source_id: id,
      source: source.name,
      target_id: row.id,
      digest: licenseDigest(row),
    })),
  );
  await replaceCopies(services, tx, outbox, replaced, copy);
  await updateDigests(tx, kind, digests);
  if (created.length === 0) return;
  await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: created.length, at, requestId: null });
}
