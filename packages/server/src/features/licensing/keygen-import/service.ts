import { isUniqueViolation } from '../../../db/errors.ts';
import type { Services } from '../../../services.ts';
import { systemActor, type Tenant } from '../../../tenancy/tenant.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readPlanUse } from '../../tenant-core/plan-limits/service.ts';
import { readTimezone } from '../../tenant-core/settings/service.ts';
import { readDefinitions } from '../entitlements/service.ts';
import { retryIf } from '../licenses/import/service.ts';
import { importCatalog, pagesOf } from './catalog-service.ts';
import {
  type Allowance,
  addFinding,
  type BatchAccess,
  type ImportOptions,
  type ImportRun,
  publishOutcomes,
  type ResourceOutcome,
  withTenant,
} from './context.ts';
import type { Counts } from './finding.ts';
import { fetchGrants, importLicenses } from './licenses-service.ts';
import { importMachines } from './machines-service.ts';
import { listImportedIds, type MappedKind } from './queries.ts';
import { metadataOf, type Resource, textOf } from './resource.ts';
import { type Checkpoint, WorkingFile } from './working-file.ts';

/** The request of an import. */
export interface KeygenImport
  extends ImportOptions,
    Pick<ImportRun, 'tenantId' | 'source' | 'signal' | 'report' | 'progress'> {
  /** True to start over instead of continuing an interrupted import. */
  readonly restarts: boolean;
}

/** The result of an import. */
export interface ImportSummary {
  readonly counts: Readonly<Record<string, Counts>>;
  /** The time at which the interrupted import began; null if this import did not continue another one. */
  readonly continuedFrom: string | null;
}

/**
 * Imports an account of Keygen into a tenant, in short transactions beside a running service. It can be repeated:
 * resources that did not change in Keygen stay as they are here. An interrupted import continues at its last complete
 * batch. A dry run takes the same decisions, reports them in the same way, and writes nothing to the tenant.
 */
export async function importKeygen(services: Services, request: KeygenImport): Promise<ImportSummary> {
  const { tenantId, source, signal, report, progress, restarts, ...options } = request;
  const { dataDir } = services.config;
  // Fails for an unknown tenant before anything is read.
  const tenant = await withTenant({ services, tenantId }, async (found) => ({
    allowance: await allowanceOf(services, found),
    definitions: new Map(await readDefinitions(found.db)),
    timezone: await readTimezone(found.db),
  }));
  const file = options.isDryRun
    ? WorkingFile.temporary(dataDir)
    : WorkingFile.open(dataDir, `${tenantId} ${source.name}`, { restart: restarts });
  let isDone = false;
  try {
    const interrupted = file.get('checkpoint', '');
    const run: ImportRun = {
      services,
      actor: systemActor,
      tenantId,
      source,
      options,
      file,
      signal,
      report,
      progress,
      ...tenant,
      products: new Map(),
      policies: new Map(),
      entitlements: new Map(),
      counts: { ...interrupted?.counts },
    };
    for (const kind of ['entitlements', 'products', 'policies']) delete run.counts[kind];
    await importCatalog(run);
    await importStages(
      run,
      interrupted ?? { startedAt: services.clock.now(), stage: 0, next: null, done: 0, counts: {} },
    );
    await reportRest(run);
    isDone = true;
    return { counts: run.counts, continuedFrom: interrupted?.startedAt ?? null };
  } finally {
    if (isDone || options.isDryRun) file.remove();
    else file.close();
  }
}

async function allowanceOf(services: Services, tenant: Tenant): Promise<Allowance> {
  const use = await readPlanUse(services, tenant);
  const left = (resource: keyof Allowance) => {
    const limit = tenant.limits[resource];
    return limit === null ? null : Math.max(0, limit - use[resource]);
  };
  return { products: left('products'), licenses: left('licenses'), activations: left('activations') };
}

/** A saved page can be larger than one of the API. A batch delays other writers by 0.1 to 0.2 s; reads do not wait. */
const batchRows = 500;

interface Stage {
  /** The collection in Keygen. */
  readonly path: string;
  /** False for a collection that is only reported. */
  readonly isNeeded: boolean;
  readonly importBatch: (run: ImportRun, resources: readonly Resource[]) => Promise<readonly ResourceOutcome[]>;
}

const reported = (path: string, message = 'There is no counterpart.'): Stage => ({
  path,
  isNeeded: false,
  importBatch: async (_run, resources) =>
    resources.map(({ id }) => ({ id, notes: [{ outcome: 'left_out', message }] })),
});

/** The collections that can be large, in the order in which they are imported. Their order is part of checkpoints. */
const stages: readonly Stage[] = [
  { path: 'users', isNeeded: true, importBatch: rememberUsers },
  {
    path: 'licenses',
    isNeeded: true,
    async importBatch(run, resources) {
      const grants = await fetchGrants(run, resources);
      return await inTransaction(run, (access) => importLicenses(run, resources, grants, access));
    },
  },
  {
    path: 'machines',
    isNeeded: true,
    importBatch: (run, resources) => inTransaction(run, (access) => importMachines(run, resources, access)),
  },
  reported('components'),
  reported('processes'),
  reported('groups'),
  reported('keys', 'There is no counterpart: keys are not pooled here.'),
  reported('releases', 'There is no counterpart: this service distributes no files.'),
  reported('webhook-endpoints', 'Create the webhook here: its secret and its events differ.'),
  reported('tokens', 'Create API keys here: a token of Keygen is not valid.'),
];

/** Imports every collection from the position of a checkpoint on. */
async function importStages(run: ImportRun, from: Checkpoint): Promise<void> {
  for (const [number, stage] of stages.entries()) {
    if (number < from.stage) continue;
    const isFirst = number === from.stage;
    await importStage(run, stage, { ...from, stage: number, ...(isFirst ? {} : { next: null, done: 0 }) });
  }
}

async function importStage(run: ImportRun, stage: Stage, from: Checkpoint): Promise<void> {
  const { path, isNeeded } = stage;
  const total = await run.source.count(path);
  let { done } = from;
  for await (const page of pagesOf(run, path, { from: from.next, isNeeded })) {
    done += page.resources.length;
    const reached = page.next === null ? { stage: from.stage + 1, done: 0 } : { stage: from.stage, done };
    await importPage(run, stage, page.resources, { startedAt: from.startedAt, next: page.next, ...reached });
    run.progress(path, done, total);
  }
}

/** Imports the resources of a page in batches, and stores the position after the last one. */
async function importPage(
  run: ImportRun,
  { path, importBatch }: Stage,
  resources: readonly Resource[],
  reached: Omit<Checkpoint, 'counts'>,
): Promise<void> {
  const { file, allowance } = run;
  const unique = new Map(resources.filter(({ id }) => !file.isMarked(path, id)).map((one) => [one.id, one]));
  if (unique.size === 0 && resources.length > 0)
    throw new Error(`Keygen's pages of ${path} repeat, so the import stopped. Run it again with --restart.`);
  const rows = [...unique.values()];
  for (let start = 0; start < Math.max(1, rows.length); start += batchRows) {
    const batch = rows.slice(start, start + batchRows);
    const before = { ...allowance };
    const importRows = async () => {
      Object.assign(allowance, before);
      if (batch.length > 0) publishOutcomes(run, path, await importBatch(run, batch));
      for (const { id } of batch) file.mark(path, id);
      if (start + batchRows >= rows.length) file.put('checkpoint', '', { ...reached, counts: run.counts });
    };
    await retryIf(
      (cause) => isUniqueViolation(cause),
      () => file.transaction(importRows),
    );
  }
}

/** Runs a batch in a transaction with its events; in a dry run it only reads. */
async function inTransaction<Outcome>(
  run: ImportRun,
  work: (access: BatchAccess) => Promise<Outcome>,
): Promise<Outcome> {
  const { services, options } = run;
  return await withTenant(run, async (tenant) => {
    if (options.isDryRun) return await work({ db: tenant.db.query, at: services.clock.now(), write: null });
    return await transactWithEvents(services, tenant, (tx, outbox) =>
      work({ db: tx, at: services.clock.now(), write: { tx, outbox, tenant } }),
    );
  });
}

/** Remembers the users, who become holders together with their licenses. */
async function rememberUsers({ file }: ImportRun, resources: readonly Resource[]): Promise<ResourceOutcome[]> {
  return resources.map((user): ResourceOutcome => {
    const { id } = user;
    const role = textOf(user, 'role') ?? 'user';
    if (role !== 'user') {
      const message = 'It belongs to your team: invite it as a member of the tenant.';
      return { id, notes: [{ outcome: 'left_out', field: 'role', value: role, message }] };
    }
    const names = [textOf(user, 'firstName'), textOf(user, 'lastName')].filter((name) => name !== null);
    const name = textOf(user, 'fullName') ?? (names.length === 0 ? null : names.join(' '));
    file.put('users', id, { name, email: textOf(user, 'email'), reference: id });
    if (Object.keys(metadataOf(user)).length === 0) return { id, notes: [] };
    return { id, notes: [{ outcome: 'left_out', field: 'metadata', message: 'Customers have no metadata.' }] };
  });
}

const mappedKinds: readonly MappedKind[] = ['products', 'entitlements', 'policies', 'licenses', 'machines'];

/** Reports users without a license, and imported resources that Keygen no longer has. */
async function reportRest(run: ImportRun): Promise<void> {
  const { file, source } = run;
  const ofUser = 'It owns no license, and customers exist only with a license.';
  for await (const id of idsOf(run, async (after) => file.usersWithoutLicense(after, chunkRows)))
    addFinding(run, { resource: 'users', id, outcome: 'left_out', message: ofUser });
  const message = 'It was imported earlier and no longer exists in Keygen. Ours was kept.';
  for (const kind of mappedKinds) {
    if (!source.isLive && (await source.count(kind)) === null) continue;
    const readIds = (after: string) =>
      withTenant(run, ({ db }) => listImportedIds(db.query, kind, source.name, after, chunkRows));
    for await (const id of idsOf(run, readIds))
      if (!file.isMarked(kind, id)) addFinding(run, { resource: kind, id, outcome: 'missing', message });
  }
}

const chunkRows = 1000;

/** Yields the ids of all chunks. `read` returns the chunk after an id. */
async function* idsOf({ signal }: ImportRun, read: (after: string) => Promise<string[]>): AsyncGenerator<string> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal.throwIfAborted();
    const ids: string[] = await read(after);
    yield* ids;
    after = ids.at(-1);
  }
}
