import { isUniqueViolation } from '../../../db/errors.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { retryIf } from '../licenses/import/service.ts';
import { notShown, reportMalformed } from './catalog-service.ts';
import {
  addFinding,
  type BatchAccess,
  type BatchOutcome,
  type ImportRun,
  publishOutcome,
  withTenant,
} from './context.ts';
import type { Holder } from './license-mapping.ts';
import { fetchEntitlements, importLicenses, type Remember } from './licenses-service.ts';
import { importMachines } from './machines-service.ts';
import { metadataOf, type Page, type Resource, textOf } from './resource.ts';
import type { Checkpoint } from './working-file.ts';

/** A saved page can be larger than one of the API. A batch delays other writers by 0.1 to 0.2 s; reads do not wait. */
const batchRows = 500;

type ImportBatch = (run: ImportRun, resources: readonly Resource[]) => Promise<BatchOutcome & { remember: Remember }>;

interface Stage {
  /** The collection in Keygen. */
  readonly path: string;
  /** False for a collection that is only reported. */
  readonly isNeeded: boolean;
  readonly importBatch: ImportBatch;
}

const reported = (path: string, message = 'There is no counterpart.'): Stage => ({
  path,
  isNeeded: false,
  importBatch: async (_run, resources) => ({
    results: [],
    findings: resources.map(({ id }) => ({ resource: path, id, outcome: 'left_out', message })),
    remember: () => undefined,
  }),
});

/** The collections that can be large, in the order in which they are imported. Their order is part of checkpoints. */
const stages: readonly Stage[] = [
  { path: 'users', isNeeded: true, importBatch: rememberUsers },
  {
    path: 'licenses',
    isNeeded: true,
    async importBatch(run, resources) {
      const fetched = await fetchEntitlements(run, resources);
      return await inTransaction(run, (access) => importLicenses(run, fetched, access));
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
export async function importStages(run: ImportRun, from: Checkpoint): Promise<void> {
  for (const [number, stage] of stages.entries()) {
    if (number < from.stage) continue;
    const isFirst = number === from.stage;
    await importStage(run, stage, { ...from, stage: number, ...(isFirst ? {} : { next: null, done: 0 }) });
  }
}

async function importStage(run: ImportRun, stage: Stage, from: Checkpoint): Promise<void> {
  const { source, signal } = run;
  const { path } = stage;
  const total = await source.count(path);
  let { done, next: position } = from;
  do {
    signal.throwIfAborted();
    const page: Page | null = await source.page(path, position);
    if (page === null && position !== from.next) throw notShown(path);
    if (page === null) {
      reportAbsent(run, stage);
      return;
    }
    reportMalformed(run, path, page);
    done += page.resources.length;
    position = page.next;
    const reached = position === null ? { stage: from.stage + 1, done: 0 } : { stage: from.stage, done };
    await importRows(run, stage, page.resources, { startedAt: from.startedAt, next: position, ...reached });
    run.progress(path, done, total);
  } while (position !== null);
}

function reportAbsent(run: ImportRun, { path, isNeeded }: Stage): void {
  if (!run.source.isLive) return;
  if (isNeeded) throw notShown(path);
  const message = 'Keygen does not show this collection to the token, so its resources are not listed.';
  addFinding(run, { resource: path, id: null, outcome: 'left_out', message });
}

const nothing = { results: [], findings: [], remember: () => undefined };

/** Imports the resources of a page in batches, and stores the position after the last one. */
async function importRows(
  run: ImportRun,
  stage: Stage,
  resources: readonly Resource[],
  reached: Omit<Checkpoint, 'counts'>,
): Promise<void> {
  const { file } = run;
  const unique = new Map(resources.filter(({ id }) => !file.hasSeen(stage.path, id)).map((one) => [one.id, one]));
  if (unique.size === 0 && resources.length > 0)
    throw new Error(`Keygen's pages of ${stage.path} repeat, so the import stopped. Run it again with --restart.`);
  const rows = [...unique.values()];
  for (let start = 0; start < Math.max(1, rows.length); start += batchRows) {
    const batch = rows.slice(start, start + batchRows);
    const { remember, ...outcome } = batch.length === 0 ? nothing : await stage.importBatch(run, batch);
    publishOutcome(run, stage.path, outcome);
    file.transaction(() => {
      remember();
      for (const { id } of batch) file.see(stage.path, id);
      if (start + batchRows >= rows.length) file.save({ ...reached, counts: run.counts });
    });
  }
}

/** Runs a batch in a transaction with its events; in a dry run it only reads. */
async function inTransaction<Outcome>(
  run: ImportRun,
  work: (access: BatchAccess) => Promise<Outcome>,
): Promise<Outcome> {
  const { services, options, allowance } = run;
  const before = { ...allowance };
  return await retryIf(
    (cause) => isUniqueViolation(cause),
    () =>
      withTenant(run, async (tenant) => {
        Object.assign(allowance, before);
        if (options.isDryRun) return await work({ db: tenant.db.query, at: services.clock.now(), write: null });
        return await transactWithEvents(services, tenant, (tx, outbox) =>
          work({ db: tx, at: services.clock.now(), write: { tx, outbox, tenant } }),
        );
      }),
  );
}

/** Remembers the users, who become holders together with their licenses. */
async function rememberUsers(run: ImportRun, resources: readonly Resource[]) {
  const findings: BatchOutcome['findings'][number][] = [];
  const users: { readonly id: string; readonly holder: Holder }[] = [];
  for (const user of resources) {
    const { id } = user;
    const role = textOf(user, 'role') ?? 'user';
    if (role !== 'user') {
      const message = 'It belongs to your team: invite it as a member of the tenant.';
      findings.push({ resource: 'users', id, outcome: 'left_out', field: 'role', value: role, message });
      continue;
    }
    if (Object.keys(metadataOf(user)).length > 0)
      findings.push({
        resource: 'users',
        id,
        outcome: 'left_out',
        field: 'metadata',
        message: 'Holders have no metadata.',
      });
    const names = [textOf(user, 'firstName'), textOf(user, 'lastName')].filter((name) => name !== null);
    const name = textOf(user, 'fullName') ?? (names.length === 0 ? null : names.join(' '));
    users.push({ id, holder: { name, email: textOf(user, 'email'), reference: id } });
  }
  return {
    results: [],
    findings,
    remember: () => {
      for (const { id, holder } of users) run.file.addUser(id, holder);
    },
  };
}
