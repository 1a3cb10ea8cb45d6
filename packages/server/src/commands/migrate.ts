import type { OpenServices } from '../app.ts';
import { loadOrCreateAppKey } from '../config/app-key.ts';
import { migrateFleet } from '../tenancy/fleet-migration.ts';
import { openTenantDatabases } from '../tenancy/open-tenant-databases.ts';
import { embeddedPlacement, type Placement } from '../tenancy/placement.ts';
import type { TenantDatabases } from '../tenancy/tenant-databases.ts';
import { assertWritable, findTenantRecord } from '../tenancy/tenant-record.ts';
import { defineCommand, exitCodes, type Terminal, UsageError } from './command.ts';
import { sentenceOf } from './failure.ts';
import { createMigrationThreads } from './migrate/migration-threads.ts';
import { isFailure, MigrationReport } from './migrate/report.ts';
import { paceOf } from './progress.ts';
import { stopSignal } from './terminal.ts';
import { withServices } from './with-services.ts';

const defaultParallelism = 4;
const parallelismMax = 64;
const showEveryMs = 100;
/** Below this number of files, migrating in this thread is faster than starting threads. */
const threadedFrom = 200;

/** Migrates the platform database, then one tenant as a canary, then all other tenants. Prints one line per failure. */
export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate the platform and every tenant to the current schema.',
  details:
    'The service migrates the platform when it starts and a tenant when it opens it; this command does so in advance.\n' +
    'One tenant goes first: when its migration fails, no other tenant is changed. Later failures do not stop the run.\n' +
    'Run the command again to continue. SIGINT and SIGTERM stop it after the migrations in progress.',
  options: {
    parallelism: {
      type: 'string',
      value: 'N',
      description: `Concurrent tenants per server, 1 to ${parallelismMax}; default: ${defaultParallelism}.`,
    },
    json: { type: 'boolean', description: 'Print the report as one JSON object that includes every failure.' },
  },
  async run({ terminal, values: { parallelism, json = false } }) {
    const tenantsAtOnce = parseParallelism(parallelism);
    const stop = stopSignal();
    try {
      const isDone = await withServices(terminal.env, (services) => {
        const options = { terminal, json, parallelism: tenantsAtOnce, signal: stop.signal };
        return withDatabases(services, (databases) => migrateTenants(services, { databases, ...options }));
      });
      return isDone ? exitCodes.done : exitCodes.failed;
    } finally {
      stop.release();
    }
  },
});

function parseParallelism(text: string | undefined): number {
  if (text === undefined) return defaultParallelism;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= parallelismMax) return number;
  throw new UsageError(`--parallelism must be a whole number from 1 to ${parallelismMax}.`);
}

/** Runs `work` with databases whose files are migrated in threads, unless there are few files. */
async function withDatabases<Result>(
  services: OpenServices,
  work: (databases: Pick<TenantDatabases, 'migrate'>) => Promise<Result>,
): Promise<Result> {
  const { config, platform } = services;
  const databases = openTenantDatabases(config, services);
  const { files } = await platform.query
    .selectFrom('tenants')
    .select(({ fn }) => fn.countAll<number>().as('files'))
    .where('placement', '=', embeddedPlacement)
    .executeTakeFirstOrThrow();
  if (files < threadedFrom) return await work(databases);
  const threads = createMigrationThreads({
    dataDir: config.dataDir,
    appKey: config.appKey ?? loadOrCreateAppKey(config.dataDir),
    previousAppKeys: config.previousAppKeys,
    migrationsModule: null,
  });
  const engineOf = ({ placement }: Placement) => (placement === embeddedPlacement ? threads : databases);
  try {
    return await work({ migrate: (placement) => engineOf(placement).migrate(placement) });
  } finally {
    await threads.close();
  }
}

interface TenantMigrationOptions {
  readonly databases: Pick<TenantDatabases, 'migrate'>;
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly parallelism: number;
  readonly signal: AbortSignal;
}

/** Migrates every tenant and reports each failure. Returns true when this version can now serve all of them. */
export async function migrateTenants(
  { platform, clock }: Pick<OpenServices, 'platform' | 'clock'>,
  { databases, terminal, json, parallelism, signal }: TenantMigrationOptions,
): Promise<boolean> {
  const tenants = await platform.query.selectFrom('tenants').select(['id', 'placement']).orderBy('id').execute();
  const report = new MigrationReport(tenants.length);
  const showProgress = progressOf(terminal, report, tenants.length);
  const isCanaryMigrated = await migrateFleet({
    databases,
    tenants,
    parallelism,
    signal,
    async findPlacement(tenantId) {
      const record = await findTenantRecord(platform, tenantId);
      // A tenant that is being moved is migrated when its new database is opened, or by the next run.
      if (record !== undefined) assertWritable(record, clock.now());
      return record;
    },
    onTenant(tenant) {
      report.add(tenant);
      if (isFailure(tenant) && !json) terminal.print(`${tenant.tenantId}  ${sentenceOf(tenant.error)}`);
      showProgress();
    },
  });
  if (json) terminal.print(JSON.stringify(report.toJson()));
  if (!isCanaryMigrated)
    terminal.note(
      'The first migration failed, so the other tenants were not changed. Correct the cause, then run the command again.',
    );
  if (signal.aborted) terminal.note('Stopped by a signal: run the command again to migrate the remaining tenants.');
  terminal.note(report.summary());
  return isCanaryMigrated && !signal.aborted && report.failures.length === 0;
}

function progressOf(terminal: Terminal, report: MigrationReport, total: number): () => void {
  let shownAtMs = 0;
  return () => {
    if (!terminal.isInteractive || performance.now() - shownAtMs < showEveryMs) return;
    shownAtMs = performance.now();
    const { done, failures, startedAtMs } = report;
    const failed = failures.length === 0 ? '' : `, ${failures.length} failed`;
    const amount = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} tenants`;
    terminal.progress(`${amount}, ${paceOf(done, total, startedAtMs)}${failed}`);
  };
}
