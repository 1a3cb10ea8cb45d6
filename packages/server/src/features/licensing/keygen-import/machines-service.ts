import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { newId } from '../../../lib/ids.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { leaseEnd } from '../activations/activation.ts';
import { activationCapacity } from '../activations/capacity.ts';
import { createCopies, describeCopy, type KnownActivations, readKnown } from '../activations/copied-service.ts';
import { readLicenses } from '../licenses/copied-service.ts';
import { planFull, takeAllowance } from './catalog-items.ts';
import { changedHere } from './catalog-service.ts';
import type { BatchAccess, BatchOutcome, ImportRun } from './context.ts';
import { activationDigest, compareDigests } from './digest.ts';
import { type Finding, findingsOf, type Note, type Result } from './finding.ts';
import type { Remember } from './licenses-service.ts';
import { type MappedMachine, mapMachine } from './machine-mapping.ts';
import { findImported, insertImported, updateDigests } from './queries.ts';
import { type Resource, relatedId, textOf } from './resource.ts';
import type { KnownLicense } from './working-file.ts';

const kind = 'machines';

interface Drafted {
  readonly id: string;
  readonly licenseId: string;
  readonly license: KnownLicense;
  readonly machine: MappedMachine;
}

const refused = (message: string, field?: string): Note => ({
  outcome: 'refused',
  ...(field !== undefined && { field }),
  message,
});

/** Imports a batch of machines as activations. Writes nothing to the tenant in a dry run. */
export async function importMachines(
  run: ImportRun,
  resources: readonly Resource[],
  access: BatchAccess,
): Promise<BatchOutcome & { readonly remember: Remember }> {
  const { db, at, write } = access;
  const batch = new Batch(run, at, write === null);
  const drafts = resources.flatMap((resource) => batch.draft(resource));
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
  for (const draft of drafts) batch.decide(draft, licenses, imported.get(draft.id), known);
  if (write !== null) await batch.write(write);
  return batch.outcome();
}

class Batch {
  readonly #run: ImportRun;
  readonly #at: string;
  readonly #isDryRun: boolean;
  readonly #results: Result[] = [];
  readonly #findings: Finding[] = [];
  readonly #remembered: Remember[] = [];
  readonly #created: ActivationsTable[] = [];
  readonly #rows: ImportedResourcesTable[] = [];
  readonly #described: { readonly before: ActivationsTable; readonly after: MappedMachine['columns'] }[] = [];
  readonly #digests = new Map<string, string>();
  /** The seats that this batch takes, by license. */
  readonly #taken = new Map<string, number>();
  readonly #fingerprints = new Set<string>();

  constructor(run: ImportRun, at: string, isDryRun: boolean) {
    this.#run = run;
    this.#at = at;
    this.#isDryRun = isDryRun;
  }

  #add(result: Result, id: string, notes: readonly Note[]): void {
    this.#results.push(result);
    this.#findings.push(...findingsOf(kind, id, notes));
  }

  /** Maps a machine; returns nothing if it is refused. */
  draft(resource: Resource): Drafted[] {
    const licenseId = relatedId(resource, 'license') ?? '';
    const license = this.#run.file.license(licenseId);
    const machine = mapMachine(resource, this.#at);
    const refusal =
      license === undefined
        ? refused('Its license was not imported.', 'license')
        : 'refusal' in machine
          ? machine.refusal
          : this.#isDead(resource, license)
            ? refused('It stopped sending heartbeats, so it holds no seat.', 'heartbeatStatus')
            : null;
    if (license !== undefined && refusal === null && !('refusal' in machine))
      return [{ id: resource.id, licenseId, license, machine }];
    this.#add('refused', resource.id, refusal === null ? [] : [refusal]);
    return [];
  }

  #isDead(resource: Resource, { policySourceId }: KnownLicense): boolean {
    const lease = this.#run.policies.get(policySourceId)?.row.lease_seconds ?? null;
    return lease !== null && textOf(resource, 'heartbeatStatus') === 'DEAD';
  }

  decide(
    draft: Drafted,
    licenses: ReadonlyMap<string, LicensesTable>,
    imported: ImportedResourcesTable | undefined,
    known: KnownActivations,
  ): void {
    const { id, license, machine } = draft;
    if (imported !== undefined) {
      this.#decideKnown(draft, imported, known.byId.get(imported.target_id));
      return;
    }
    const { fingerprint } = machine.columns;
    const place = JSON.stringify([license.targetId, fingerprint]);
    const held = known.held.find((row) => row.license_id === license.targetId && row.fingerprint === fingerprint);
    if (this.#fingerprints.has(place) || this.#run.file.isTaken('fingerprint', place)) {
      this.#add('refused', id, [refused('The license already has an activation of this fingerprint.', 'fingerprint')]);
    } else if (held !== undefined) {
      // The device was activated here before the import.
      this.#remember(draft, place, held, false);
      this.#add('unchanged', id, machine.notes);
    } else {
      this.#decideNew(draft, place, licenses.get(license.targetId), known);
    }
  }

  #decideNew(draft: Drafted, place: string, row: LicensesTable | undefined, known: KnownActivations): void {
    const { id, license, machine } = draft;
    const policy = this.#run.policies.get(license.policySourceId)?.row;
    const admitted =
      row === undefined || policy === undefined ? license.admitted : activationCapacity(row, policy).admitted;
    const inBatch = this.#taken.get(license.targetId) ?? 0;
    const taken = (known.taken.get(license.targetId) ?? 0) + inBatch + (this.#isDryRun ? license.planned : 0);
    const isGone = policy === undefined || (row === undefined && !this.#isDryRun);
    const refusal = isGone ? refused('Its license was deleted here.', 'license') : this.#noSeat(admitted, taken);
    if (policy === undefined || refusal !== null) {
      this.#add('refused', id, refusal === null ? [] : [refusal]);
      return;
    }
    const activation: ActivationsTable = {
      id: newId(),
      license_id: license.targetId,
      ...machine.columns,
      // The lease begins with the import: the device cannot have sent a heartbeat to this service before.
      lease_expires_at: leaseEnd(policy, this.#at),
      released_at: null,
      release_reason: null,
    };
    this.#taken.set(license.targetId, inBatch + 1);
    this.#created.push(activation);
    this.#remember(draft, place, activation, true);
    this.#add('created', id, machine.notes);
  }

  #noSeat(admitted: number | null, taken: number): Note | null {
    if (admitted !== null && taken >= admitted)
      return refused(`The license admits ${admitted} activations, and all are taken.`);
    return takeAllowance(this.#run, 'activations') ? null : planFull('activations');
  }

  #remember({ id, licenseId }: Drafted, place: string, row: ActivationsTable, isNew: boolean): void {
    const { file, source } = this.#run;
    this.#fingerprints.add(place);
    this.#rows.push({ kind, source_id: id, source: source.name, target_id: row.id, digest: activationDigest(row) });
    this.#remembered.push(() => {
      file.take('fingerprint', place);
      if (isNew && this.#isDryRun) file.planActivation(licenseId);
    });
  }

  #decideKnown({ id, machine }: Drafted, { digest: last }: ImportedResourcesTable, row: ActivationsTable | undefined) {
    const digest = activationDigest(machine.columns);
    const { overwrites } = this.#run.options;
    if (row === undefined || row.released_at !== null) return this.#add('unchanged', id, machine.notes);
    const result = compareDigests({ last, theirs: digest, ours: activationDigest(row) }, overwrites);
    if (result === 'conflict') return this.#add(result, id, [changedHere]);
    if (result === 'updated') this.#described.push({ before: row, after: machine.columns });
    if (digest !== last) this.#digests.set(id, digest);
    return this.#add(result, id, machine.notes);
  }

  async write({ tx, outbox, tenant }: NonNullable<BatchAccess['write']>): Promise<void> {
    const { actor, options } = this.#run;
    const at = this.#at;
    const copy = { actor, at, publishes: options.publishes };
    await createCopies(tx, outbox, this.#created, copy);
    await insertImported(tx, this.#rows);
    for (const { before, after } of this.#described) await describeCopy(tx, before, after, copy);
    await updateDigests(tx, kind, this.#digests);
    const count = this.#created.length;
    if (count > 0) await reserveQuota(tx, outbox, tenant, { resource: 'activations', count, at, requestId: null });
  }

  outcome(): BatchOutcome & { readonly remember: Remember } {
    const remembered = this.#remembered;
    return {
      results: this.#results,
      findings: this.#findings,
      remember: () => {
        for (const step of remembered) step();
      },
    };
  }
}
