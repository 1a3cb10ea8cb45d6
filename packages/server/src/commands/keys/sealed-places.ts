import { existsSync } from 'node:fs';
import { loadOrCreateAppKey } from '../../config/app-key.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { platformFile, prepareDataDir } from '../../config/data-dir.ts';
import type { PlatformDb } from '../../db/database.ts';
import { checkSchema } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { connectPlatformDb } from '../../db/platform.ts';
import { createFirstSigningKey } from '../../features/licensing/signing-keys/service.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { createKeyring, type Keyring } from '../../lib/keyring.ts';
import { inParallel } from '../../lib/work-queue.ts';
import { openTenantDatabases } from '../../tenancy/open-tenant-databases.ts';
import type { TenantDatabases } from '../../tenancy/tenant-databases.ts';
import { assertWritable, findTenantRecord, type TenantRecord } from '../../tenancy/tenant-record.ts';
import type { Terminal } from '../command.ts';
import { sentenceOf } from '../failure.ts';
import { paceOf } from '../progress.ts';

const parallelism = 4;
const showEveryMs = 100;

/** The databases with sealed values, and the configured application keys. */
export interface SealedPlaces {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly platform: PlatformDb;
  readonly databases: TenantDatabases;
}

/**
 * Opens the platform's database for one command. Unlike a start of the service, it also does so when a former key is
 * missing, because the command finds out whether that key is needed.
 */
export async function withSealedPlaces<Result>(
  env: NodeJS.ProcessEnv,
  work: (places: SealedPlaces) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(env);
  // A key that is missing beside data must not be created.
  prepareDataDir(config);
  assertData(config);
  const keyring = createKeyring(config.appKey ?? loadOrCreateAppKey(config.dataDir), config.previousAppKeys);
  const clock = systemClock();
  const platform = connectPlatformDb(config);
  try {
    const state = await checkSchema(platform, platformMigrations);
    if (state !== 'current' && state !== 'newer')
      throw new Error('The platform database has another schema: run "licensing migrate" of this version first.');
    const seedTenant = createFirstSigningKey({ clock, keyring });
    const databases = openTenantDatabases(config, { platform, keyring, clock, seedTenant });
    return await work({ keyring, clock, platform, databases });
  } finally {
    await platform.close();
  }
}

function assertData(config: Config): void {
  if (config.databaseUrl !== null || existsSync(platformFile(config.dataDir))) return;
  throw new Error(`There is no data in ${config.dataDir} yet: check DATA_DIR.`);
}

interface TenantsOptions {
  readonly terminal: Terminal;
  readonly signal?: AbortSignal;
  readonly work: (record: TenantRecord) => Promise<void>;
}

/**
 * Runs `work` for every tenant, closed ones included, some at a time. A failure does not stop the run: it is printed
 * with the tenant's id. Returns the ids of the tenants that failed or, after a signal, were not reached.
 */
export async function forEachTenant(
  { platform, clock }: Pick<SealedPlaces, 'platform' | 'clock'>,
  { terminal, signal, work }: TenantsOptions,
): Promise<string[]> {
  const tenants = await platform.query.selectFrom('tenants').select('id').orderBy('id').execute();
  const failed: string[] = [];
  const startedAtMs = performance.now();
  let done = 0;
  let shownAtMs = 0;
  await inParallel(tenants, parallelism, async ({ id }) => {
    if (signal?.aborted) return void failed.push(id);
    try {
      const record = await findTenantRecord(platform, id);
      // A tenant that is being moved may be copied from its former database.
      if (record !== undefined) assertWritable(record, clock.now());
      if (record !== undefined) await work(record);
    } catch (error) {
      failed.push(id);
      terminal.print(`${id}  ${sentenceOf(error)}`);
    }
    done += 1;
    if (!terminal.isInteractive || performance.now() - shownAtMs < showEveryMs) return;
    shownAtMs = performance.now();
    const failures = failed.length === 0 ? '' : `, ${failed.length} failed`;
    terminal.progress(`${done} of ${tenants.length} tenants, ${paceOf(done, tenants.length, startedAtMs)}${failures}`);
  });
  return failed;
}
