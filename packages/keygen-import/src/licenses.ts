import { type Note, Notes, refusal } from './finding.ts';
import { type LicenseRow, mapLicense, mapMachine, ownerOf } from './mapping.ts';
import { type Resource, relatedId } from './resource.ts';
import { inParallel, type Run } from './run.ts';

/** Rows that one request imports. */
const rowsAtOnce = 1000;
const importTimeoutMs = 300_000;

/** A license of the tenant. */
interface Known {
  readonly id: string;
  readonly state: string;
}

interface Draft {
  readonly sourceId: string;
  readonly row: LicenseRow;
  readonly notes: Notes;
  /** False in a dry run for a license of a policy that does not exist yet. */
  readonly canAsk: boolean;
}

/** Imports licenses. What exists here is found by its key. Returns the licenses that existed before, by key. */
export async function importLicenses(run: Run): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  for await (const license of licensesOf(run)) known.set(license.key, { id: license.id, state: stateOf(license) });
  const taken = new Set<string>();
  let drafts: Draft[] = [];
  for await (const { resources } of run.options.source.pages('licenses')) {
    const found = new Map<string, Draft>();
    await inParallel(resources, async (resource) => {
      const draft = await draftOf(run, resource);
      if ('outcome' in draft) run.add('licenses', resource.id, 'refused', [draft]);
      else found.set(resource.id, draft);
    });
    // In Keygen's order, whichever answered first.
    drafts.push(...resources.flatMap(({ id }) => found.get(id) ?? []));
    if (drafts.length < rowsAtOnce) continue;
    await importDrafts(run, drafts, known, taken);
    drafts = [];
  }
  await importDrafts(run, drafts, known, taken);
  return known;
}

/** Yields the licenses of the tenant, newest first. */
async function* licensesOf(run: Run): AsyncGenerator<LicenseRow & { readonly id: string }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of await run.options.client.licenses.export()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Returns what an import writes of a license, as a text that is equal for equal states. */
function stateOf({ policy_id, status, holder, expires_at, maintenance_expires_at, ...row }: LicenseRow): string {
  const moments = [expires_at, maintenance_expires_at].map((text) => (text === null ? null : Date.parse(text)));
  return JSON.stringify([
    policy_id,
    status === 'suspended' || status === 'revoked' ? status : 'active',
    [holder.name, holder.email, holder.reference],
    moments,
    row.max_activations,
    row.entitlements.map(({ code }) => code).sort(),
    Object.entries(row.metadata).sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
}

async function draftOf(run: Run, resource: Resource): Promise<Draft | Note> {
  const policy = run.policies.get(relatedId(resource, 'policy') ?? '');
  if (policy === undefined) return refusal('Its policy was not imported.', 'policy');
  const notes = new Notes();
  const ownerId = ownerOf(resource) ?? '';
  const mapped = mapLicense(resource, policy, run.users.get(ownerId), notes);
  if ('outcome' in mapped) return mapped;
  run.owners.add(ownerId);
  const path = `licenses/${encodeURIComponent(resource.id)}/entitlements`;
  const codes = run.options.readsLicenseEntitlements ? await run.grantedCodes(path, notes) : [];
  const entitlements = codes.filter((code) => !policy.codes.has(code)).map((code) => ({ code }));
  const row = { ...mapped, policy_id: policy.id, entitlements };
  return { sourceId: resource.id, row, notes, canAsk: policy.exists };
}

/** Creates the licenses that do not exist, and compares the others. */
async function importDrafts(
  run: Run,
  drafts: readonly Draft[],
  known: ReadonlyMap<string, Known>,
  taken: Set<string>,
): Promise<void> {
  const created: Draft[] = [];
  for (const draft of drafts) {
    const { row, sourceId, notes } = draft;
    const existing = known.get(row.key);
    if (taken.has(row.key)) {
      run.add('licenses', sourceId, 'refused', [refusal('Another license of Keygen has this key.', 'key')]);
      continue;
    }
    taken.add(row.key);
    run.keys.set(sourceId, row.key);
    if (existing === undefined) created.push(draft);
    else if (existing.state === stateOf(row)) run.add('licenses', sourceId, 'unchanged', notes.all);
    else if (!run.options.overwrites) run.add('licenses', sourceId, 'conflict', [differs]);
    else await run.write('licenses', sourceId, notes, () => overwrite(run, existing.id, row), 'updated');
  }
  await send(run, created);
}

const differs: Note = {
  outcome: 'conflict',
  message: 'It exists here with another state, which was kept. --overwrite takes the state of Keygen.',
};

async function overwrite({ options: { client } }: Run, id: string, row: LicenseRow): Promise<{ readonly id: string }> {
  const { status, ...updated } = await client.licenses.update(id, {
    policyId: row.policy_id,
    holder: row.holder,
    expiresAt: row.expires_at,
    maintenanceExpiresAt: row.maintenance_expires_at,
    maxActivations: row.max_activations,
    entitlements: row.entitlements,
    metadata: row.metadata,
  });
  if (row.status === 'active' && status === 'suspended') await client.licenses.reinstate(id);
  if (row.status === 'suspended' && status !== 'suspended') await client.licenses.suspend(id);
  if (row.status === 'revoked' && status !== 'revoked') await client.licenses.revoke(id);
  return updated;
}

/** Sends new licenses to the service's import. Fields of a holder that it refuses are left out. */
async function send(run: Run, drafts: readonly Draft[]): Promise<void> {
  const { client, isDryRun } = run.options;
  for (const { sourceId, notes, canAsk } of drafts) if (!canAsk) run.add('licenses', sourceId, 'created', notes.all);
  const asked = drafts.filter(({ canAsk }) => canAsk);
  if (asked.length === 0) return;
  const content = asked.map(({ row }) => `${JSON.stringify(row)}\n`).join('');
  const mode = isDryRun ? { dryRun: true } : { partial: true };
  const { errors } = await client.licenses.import(content, { ...mode, timeoutMs: importTimeoutMs });
  const problems = Map.groupBy(errors, ({ row }) => row);
  const again: Draft[] = [];
  for (const [index, draft] of asked.entries()) {
    const found = problems.get(index + 1) ?? [];
    const [first] = found;
    const ofHolder = found.flatMap(({ field }) => /^holder[._](name|email|reference)$/.exec(field)?.[1] ?? []);
    if (first === undefined) run.add('licenses', draft.sourceId, 'created', draft.notes.all);
    else if (ofHolder.length === found.length) again.push(withoutHolder(draft, ofHolder));
    else {
      run.keys.delete(draft.sourceId);
      run.add('licenses', draft.sourceId, 'refused', [refusal(`${first.field}: ${first.message}`)]);
    }
  }
  await send(run, again);
}

function withoutHolder({ row, notes, ...draft }: Draft, fields: readonly string[]): Draft {
  for (const field of fields) {
    notes.leftOut('owner', undefined, `The customer's ${field} is not valid here, so it was not imported.`);
  }
  const holder = { ...row.holder, ...Object.fromEntries(fields.map((field) => [field, null])) };
  return { ...draft, notes, row: { ...row, holder } };
}

/**
 * Returns the ids of the imported licenses by key. Only those of new licenses are read: they are the first of the export,
 * which ends with the last of them. A dry run creates none.
 */
async function readIds(run: Run, known: ReadonlyMap<string, Known>): Promise<ReadonlyMap<string, string>> {
  const ids = new Map([...known].map(([key, { id }]) => [key, id]));
  const created = new Set(run.options.isDryRun ? [] : run.keys.values()).difference(ids);
  if (created.size === 0) return ids;
  for await (const { key, id } of licensesOf(run)) {
    ids.set(key, id);
    if (created.delete(key) && created.size === 0) break;
  }
  return ids;
}

/** Imports machines. What exists here is found by its license (`known` are those from before the import) and its fingerprint. */
export async function importMachines(run: Run, known: ReadonlyMap<string, Known>): Promise<void> {
  const ids = await readIds(run, known);
  const active = new Set<string>();
  for await (const { licenseId, fingerprint } of run.options.client.activations.list({ limit: 100 })) {
    active.add(`${licenseId} ${fingerprint}`);
  }
  for await (const { resources } of run.options.source.pages('machines')) {
    // The machines of one license stay in their order, so that its limit refuses the last ones.
    const byLicense = Map.groupBy(resources, (one) => run.keys.get(relatedId(one, 'license') ?? ''));
    await inParallel([...byLicense], async ([key, machines]) => {
      for (const machine of machines) {
        if (key !== undefined) await importMachine(run, machine, ids.get(key) ?? '', active);
        else run.add('machines', machine.id, 'refused', [refusal('Its license was not imported.', 'license')]);
      }
    });
  }
}

async function importMachine(run: Run, machine: Resource, licenseId: string, active: Set<string>): Promise<void> {
  const notes = new Notes();
  const device = mapMachine(machine, notes);
  if ('outcome' in device) run.add('machines', machine.id, 'refused', [device]);
  else if (active.has(`${licenseId} ${device.fingerprint.normalize()}`)) {
    run.add('machines', machine.id, 'unchanged', notes.all);
  } else {
    await run.write('machines', machine.id, notes, () => run.options.client.licenses.activate(licenseId, device));
  }
}
