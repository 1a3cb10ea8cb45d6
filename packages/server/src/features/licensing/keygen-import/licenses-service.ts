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
import { grantedCodes, planFull, takeAllowance } from './catalog-items.ts';
import { changedHere, deletedHere } from './catalog-service.ts';
import type { BatchAccess, BatchOutcome, ImportRun, KnownPolicy } from './context.ts';
import { compareDigests, licenseDigest } from './digest.ts';
import { type Finding, findingsOf, type Note, type Result } from './finding.ts';
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

/** What must be remembered in the working file once a batch is committed. */
export type Remember = () => void;

/** Imports a batch of licenses. Writes nothing to the tenant in a dry run. */
export async function importLicenses(
  run: ImportRun,
  fetched: readonly FetchedLicense[],
  access: BatchAccess,
): Promise<BatchOutcome & { readonly remember: Remember }> {
  const results: Result[] = [];
  const findings: Finding[] = [];
  const remembered: (() => void)[] = [];
  const drafts = draftAll(run, fetched, access, results, findings);
  const imported = await findImported(
    access.db,
    kind,
    drafts.map(({ id }) => id),
  );
  const ids = [...imported.values()].map((row) => row.target_id);
  const existing = await readLicenses(access.db, ids, access.write !== null);
  const owners = await readKeyOwners(
    access.db,
    drafts.map(({ row }) => row.key),
  );
  const keysOfBatch = new Set<string>();
  const created: { readonly id: string; readonly row: LicensesTable }[] = [];
  const replaced: LicenseReplacement[] = [];
  const digests = new Map<string, string>();
  for (const draft of drafts) {
    const decision = decide(run, draft, { imported, existing, owners, keysOfBatch });
    const { result, notes, row } = decision;
    results.push(result);
    findings.push(...findingsOf(kind, draft.id, [...(result === 'refused' ? [] : draft.notes), ...notes]));
    if (row === null) continue;
    if (result === 'created') created.push({ id: draft.id, row });
    if (decision.replaced !== undefined) replaced.push({ before: decision.replaced, after: row });
    if (decision.digest !== undefined) digests.set(draft.id, decision.digest);
    keysOfBatch.add(row.key);
    remembered.push(() => rememberLicense(run, draft, row));
  }
  if (access.write !== null) await write(run, access.write, access.at, { created, replaced, digests });
  return { results, findings, remember: () => runAll(remembered) };
}

function runAll(steps: readonly (() => void)[]): void {
  for (const step of steps) step();
}

function rememberLicense({ file }: ImportRun, draft: Drafted, row: LicensesTable): void {
  const { admitted } = activationCapacity(row, draft.policy.row);
  file.addLicense(draft.id, { targetId: row.id, policySourceId: draft.policySourceId, admitted });
  file.take('key', row.key);
  if (draft.ownerId !== null) file.markOwner(draft.ownerId);
}

function draftAll(
  run: ImportRun,
  fetched: readonly FetchedLicense[],
  { at }: BatchAccess,
  results: Result[],
  findings: Finding[],
): Drafted[] {
  const drafts: Drafted[] = [];
  for (const license of fetched) {
    const draft = draftOf(run, license, at);
    if (!('refusal' in draft)) {
      drafts.push(draft);
      continue;
    }
    results.push('refused');
    findings.push(...findingsOf(kind, license.resource.id, [draft.refusal]));
  }
  return drafts;
}

function draftOf(
  run: ImportRun,
  { resource, codes, notes: ofCodes }: FetchedLicense,
  at: string,
): Drafted | { readonly refusal: Note } {
  const policySourceId = relatedId(resource, 'policy') ?? '';
  const policy = run.policies.get(policySourceId);
  if (policy === undefined)
    return { refusal: { outcome: 'refused', field: 'policy', message: 'Its policy was not imported.' } };
  const ownerId = ownerOf(resource);
  const holder = ownerId === null ? undefined : run.file.user(ownerId);
  const notes: Note[] = [...ofCodes];
  if (ownerId !== null && holder === undefined)
    notes.push({ outcome: 'left_out', field: 'owner', message: 'Keygen does not list its owner among the users.' });
  const mapped = mapLicense(resource, policy, holder ?? null, at);
  if ('refusal' in mapped) return mapped;
  const grants = (codes ?? []).filter((code) => !policy.codes.has(code)).map((code) => ({ code }));
  const { stored } = storeGrants(run.definitions, grants);
  try {
    const row = newLicense(policy.row, mapped.key, { ...mapped.change, entitlements: stored }, at);
    notes.push(...mapped.notes);
    return { id: resource.id, row: asCopy(row, mapped, at), policySourceId, policy, ownerId, notes };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { refusal: { outcome: 'refused', message: error.details?.[0]?.message ?? error.message } };
  }
}

interface Ours {
  readonly imported: ReadonlyMap<string, ImportedResourcesTable>;
  readonly existing: ReadonlyMap<string, LicensesTable>;
  /** The licenses that have a key of the batch, by key. */
  readonly owners: ReadonlyMap<string, string>;
  /** The keys of the licenses before this one. */
  readonly keysOfBatch: ReadonlySet<string>;
}

function decide(run: ImportRun, draft: Drafted, { imported, existing, owners, keysOfBatch }: Ours): Decision {
  const { key } = draft.row;
  const known = imported.get(draft.id);
  const owner = owners.get(key);
  const isOthers = owner !== undefined && owner !== known?.target_id;
  if (known === undefined)
    return decideNew(run, draft, isOthers || keysOfBatch.has(key) || run.file.isTaken('key', key));
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
  readonly created: readonly { readonly id: string; readonly row: LicensesTable }[];
  readonly replaced: readonly LicenseReplacement[];
  readonly digests: ReadonlyMap<string, string>;
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
