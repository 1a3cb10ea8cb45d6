import type { Services } from '../../../services.ts';
import { systemActor, type Tenant } from '../../../tenancy/tenant.ts';
import { readPlanUse } from '../../tenant-core/plan-limits/service.ts';
import { readDefinitions } from '../entitlements/service.ts';
import { importCatalog } from './catalog-items.ts';
import { type Allowance, addFinding, type ImportOptions, type ImportRun, withTenant } from './context.ts';
import type { Counts } from './finding.ts';
import { listImportedIds, type MappedKind } from './queries.ts';
import { importStages } from './stages-service.ts';
import { WorkingFile } from './working-file.ts';

/** What an import needs besides the services. */
export interface KeygenImport
  extends ImportOptions,
    Pick<ImportRun, 'tenantId' | 'source' | 'signal' | 'report' | 'progress'> {
  /** True to start over instead of continuing an interrupted import. */
  readonly restarts: boolean;
}

/** What an import did. */
export interface ImportSummary {
  readonly counts: Readonly<Record<string, Counts>>;
  /** When the import that this one continued began; null if it continued none. */
  readonly continuedFrom: string | null;
}

/**
 * Imports an account of Keygen into a tenant, in short transactions beside a running service. It can be repeated: what
 * did not change in Keygen stays as it is here. An interrupted import continues at its last complete batch. A dry run
 * takes the same decisions, reports them in the same way, and writes nothing to the tenant.
 */
export async function importKeygen(services: Services, request: KeygenImport): Promise<ImportSummary> {
  const { tenantId, source, signal, report, progress, restarts, ...options } = request;
  const { dataDir } = services.config;
  // Fails for an unknown tenant before anything is read.
  const tenant = await withTenant({ services, tenantId }, async (found) => ({
    allowance: await allowanceOf(services, found),
    definitions: new Map(await readDefinitions(found.db)),
  }));
  const file = options.isDryRun
    ? WorkingFile.temporary(dataDir)
    : WorkingFile.open(dataDir, `${tenantId} ${source.name}`, { restart: restarts });
  let isDone = false;
  try {
    const interrupted = file.checkpoint();
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
    reportUsersWithoutLicense(run);
    await reportMissing(run);
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

const chunkRows = 1000;

function reportUsersWithoutLicense(run: ImportRun): void {
  const message = 'It owns no license, and holders exist only with a license.';
  for (let after = ''; ; ) {
    const ids = run.file.usersWithoutLicense(after, chunkRows);
    for (const id of ids) addFinding(run, { resource: 'users', id, outcome: 'left_out', message });
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

const mappedKinds: readonly MappedKind[] = ['products', 'entitlements', 'policies', 'licenses', 'machines'];

/** Reports what earlier imports created and Keygen no longer has. */
async function reportMissing(run: ImportRun): Promise<void> {
  const message = 'It was imported earlier and no longer exists in Keygen. Ours was kept.';
  for (const kind of mappedKinds) {
    if (!run.source.isLive && (await run.source.count(kind)) === null) continue;
    await reportMissingOf(run, kind, message);
  }
}

async function reportMissingOf(run: ImportRun, kind: MappedKind, message: string): Promise<void> {
  for (let after = ''; ; ) {
    run.signal.throwIfAborted();
    const from = after;
    const ids = await withTenant(run, ({ db }) => listImportedIds(db.query, kind, run.source.name, from, chunkRows));
    for (const id of ids) {
      if (!run.file.hasSeen(kind, id)) addFinding(run, { resource: kind, id, outcome: 'missing', message });
    }
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
