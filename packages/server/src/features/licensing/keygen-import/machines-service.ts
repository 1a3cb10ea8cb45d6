import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { newId } from '../../../lib/ids.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { leaseEnd } from '../activations/activation.ts';
import { createCopies, describeCopy, type KnownActivations, readKnown } from '../activations/copied-service.ts';
import { activationCapacity } from '../licenses/activation-capacity.ts';
import { readLicenses } from '../licenses/copied-service.ts';
import { changedHere, planFull, takeAllowance } from './catalog-service.ts';
import type { BatchAccess, ImportRun, ResourceOutcome } from './context.ts';
import { activationDigest, compareDigests } from './digest.ts';
import type { Note } from './finding.ts';
import { type MappedMachine, mapMachine } from './license-mapping.ts';
import { findImported, insertImported, updateDigests } from './queries.ts';
import { type Resource, relatedId, textOf } from './resource.ts';
import type { KnownLicense } from './working-file.ts';

const kind = 'machines';

interface Drafted {
  readonly id: string;
  readonly license: KnownLicense & { readonly sourceId: string };
  readonly machine: MappedMachine;
}

const refused = (message: string, field?: string): Note => ({
  outcome: 'refused',
  ...(field !== undefined && { field }),
  message,
});

/** The state of our activations before a batch, and the changes of the batch. */
interface Batch {
  readonly at: string;
  readonly isDryRun: boolean;
  readonly licenses: ReadonlyMap<string, LicensesTable>;
  readonly imported: ReadonlyMap<string, ImportedResourcesTable>;
  readonly known: KnownActivations;
  readonly created: ActivationsTable[];
  readonly rows: ImportedResourcesTable[];
  readonly described: { readonly before: ActivationsTable; readonly after: MappedMachine['columns'] }[];
  readonly digests: Map<string, string>;
  /** The seats that this batch takes, by license. */
  readonly taken: Map<string, number>;
}

/** Imports a batch of machines as activations. Writes nothing to the tenant in a dry run. */
export async function importMachines(
  run: ImportRun,
  resources: readonly Resource[],
  { db, at, write }: BatchAccess,
): Promise<ResourceOutcome[]> {
  const mapped = resources.map((resource) => draftOf(run, resource, at));
  const drafts = mapped.filter((draft) => 'machine' in draft);
  const targets = [...new Set(drafts.map(({ license }) => license.targetId))];
  // Locks the licenses, as activating does, so that no limit is exceeded.
  const licenses = await readLicenses(db, targets, write !== null);
  const imported = await findImported(
    db,
    kind,
    drafts.map(({ id }) => id),
  );
  const activations = [...imported.values()].map((row) => row.target_id);
  const fingerprints = drafts.map(({ machine }) => machine.columns.fingerprint);
  const known = await readKnown(db, { licenses: targets, activations }, fingerprints, at);
  const changes = { created: [], rows: [], described: [], digests: new Map(), taken: new Map() };
  const batch: Batch = { at, isDryRun: write === null, licenses, imported, known, ...changes };
  const refusals = mapped.filter((draft) => 'notes' in draft);
  const outcomes = [...refusals, ...drafts.map((draft) => decide(run, batch, draft))];
  if (write !== null) await writeBatch(run, batch, write);
  return outcomes;
}

/** Maps a machine, or returns the outcome of one that is refused. */
function draftOf({ file, policies }: ImportRun, resource: Resource, at: string): Drafted | ResourceOutcome {
  const { id } = resource;
  const refuse = (note: Note): ResourceOutcome => ({ id, result: 'refused', notes: [note] });
  const sourceId = relatedId(resource, 'license') ?? '';
  const license = file.get('licenses', sourceId);
  if (license === undefined) return refuse(refused('Its license was not imported.', 'license'));
  const machine = mapMachine(resource, at);
  if ('refusal' in machine) return refuse(machine.refusal);
  const lease = policies.get(license.policySourceId)?.row.lease_seconds ?? null;
  if (lease !== null && textOf(resource, 'heartbeatStatus') === 'DEAD')
    return refuse(refused('It stopped sending heartbeats, so it does not count as a device.', 'heartbeatStatus'));
  return { id, license: { ...license, sourceId }, machine };
}

function decide(run: ImportRun, batch: Batch, draft: Drafted): ResourceOutcome {
  const { id, license, machine } = draft;
  const { imported, known } = batch;
  const mapping = imported.get(id);
  if (mapping !== undefined) return decideKnown(run, batch, draft, mapping);
  const { fingerprint } = machine.columns;
  if (run.file.isMarked('fingerprint', license.targetId, fingerprint)) {
    const note = refused('The license already has a device with this fingerprint.', 'fingerprint');
    return { id, result: 'refused', notes: [note] };
  }
  const held = known.held.find((row) => row.license_id === license.targetId && row.fingerprint === fingerprint);
  if (held === undefined) return decideNew(run, batch, draft);
  // The device was activated here before the import.
  remember(run, batch, id, held);
  return { id, result: 'unchanged', notes: machine.notes };
}

function decideNew(run: ImportRun, batch: Batch, { id, license, machine }: Drafted): ResourceOutcome {
  const { at, isDryRun, taken } = batch;
  const { targetId, sourceId } = license;
  const row = batch.licenses.get(targetId);
  const policy = run.policies.get(license.policySourceId)?.row;
  if (policy === undefined || (row === undefined && !isDryRun))
    return { id, result: 'refused', notes: [refused('Its license was deleted here.', 'license')] };
  const admitted = row === undefined ? license.admitted : activationCapacity(row, policy).admitted;
  const ofImport = isDryRun ? run.file.usesOf('licenses', sourceId) : (taken.get(targetId) ?? 0);
  const refusal = noSeat(run, admitted, (batch.known.taken.get(targetId) ?? 0) + ofImport);
  if (refusal !== null) return { id, result: 'refused', notes: [refusal] };
  const activation: ActivationsTable = {
    id: newId(),
    license_id: targetId,
    ...machine.columns,
    // The lease begins with the import: the device cannot have sent a heartbeat to this service before.
    lease_expires_at: leaseEnd(policy, at),
    released_at: null,
    release_reason: null,
  };
  if (isDryRun) run.file.countUse('licenses', sourceId);
  else taken.set(targetId, ofImport + 1);
  batch.created.push(activation);
  remember(run, batch, id, activation);
  return { id, result: 'created', notes: machine.notes };
}

function noSeat(run: ImportRun, admitted: number | null, taken: number): Note | null {
  if (admitted !== null && taken >= admitted)
    return refused(`The license admits ${admitted} devices, and all are in use.`);
  return takeAllowance(run, 'activations') ? null : planFull('activations');
}

function remember({ file, source }: ImportRun, { rows }: Batch, id: string, row: ActivationsTable): void {
  rows.push({ kind, source_id: id, source: source.name, target_id: row.id, digest: activationDigest(row) });
  file.mark('fingerprint', row.license_id, row.fingerprint);
}

function decideKnown(
  { options }: ImportRun,
  { known, described, digests }: Batch,
  { id, machine }: Drafted,
  { digest: last, target_id }: ImportedResourcesTable,
): ResourceOutcome {
  const { columns, notes } = machine;
  const row = known.byId.get(target_id);
  const digest = activationDigest(columns);
  if (row === undefined || row.released_at !== null) return { id, result: 'unchanged', notes };
  const result = compareDigests({ last, theirs: digest, ours: activationDigest(row) }, options.overwrites);
  if (result === 'conflict') return { id, result, notes: [changedHere] };
  if (result === 'updated') described.push({ before: row, after: columns });
  if (digest !== last) digests.set(id, digest);
  return { id, result, notes };
}

async function writeBatch(
  { actor, options }: ImportRun,
  { at, created, rows, described, digests }: Batch,
  { tx, outbox, tenant }: NonNullable<BatchAccess['write']>,
): Promise<void> {
  const copy = { actor, at, publishes: options.publishes };
  await createCopies(tx, outbox, created, copy);
  await insertImported(tx, rows);
  for (const { before, after } of described) await describeCopy(tx, before, after, copy);
  await updateDigests(tx, kind, digests);
  const count = created.length;
  if (count > 0) await reserveQuota(tx, outbox, tenant, { resource: 'activations', count, at, requestId: null });
}
