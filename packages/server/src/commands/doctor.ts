import { existsSync } from 'node:fs';
import { loadOrCreateAppKey } from '../config/app-key.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { platformFile } from '../config/data-dir.ts';
import { ConfigError } from '../config/environment-reader.ts';
import type { PlatformDb } from '../db/database.ts';
import { connectPlatformDb } from '../db/platform.ts';
import { createFirstSigningKey } from '../features/licensing/signing-keys/service.ts';
import { systemClock } from '../lib/clock.ts';
import { createKeyring, type Keyring } from '../lib/keyring.ts';
import { sealedColumns } from '../sealed-columns.ts';
import { openTenantDatabases } from '../tenancy/open-tenant-databases.ts';
import { defineCommand, exitCodes } from './command.ts';
import { type Finding, ok, problem, warning } from './doctor/finding.ts';
import { checkMetricsAccess, checkSignUp, checkSingleSignOn, checkValkey } from './doctor/integrations.ts';
import { checkDataDir, checkNode, checkServing } from './doctor/machine.ts';
import { findOrphans } from './doctor/orphans.ts';
import { checkAppKey, checkPlatformRecords, checkPlatformSchema } from './doctor/platform.ts';
import { SecretCheck } from './doctor/secrets.ts';
import { checkNodes, checkServers } from './doctor/servers.ts';
import { checkTenants, listPlacements } from './doctor/tenants.ts';
import { sentenceOf } from './failure.ts';

/** Diagnoses an installation without changing it. */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check the configuration, databases, permissions and clocks, and advise what to do.',
  details:
    'Changes nothing, and can run beside a running service. Exits with 1 when there is a problem; warnings do not count.',
  options: {},
  async run({ terminal }) {
    const counts = { ok: 0, warning: 0, problem: 0 };
    for await (const { level, text, advice } of examine(terminal.env)) {
      counts[level] += 1;
      terminal.print(`${level.padEnd(7)}  ${text}${advice === undefined ? '' : ` ${advice}`}`);
    }
    terminal.note(`${counts.ok} ok, ${counts.warning} warnings, ${counts.problem} problems`);
    return counts.problem === 0 ? exitCodes.done : exitCodes.failed;
  },
});

async function* examine(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield checkNode();
  const config = readConfig(env);
  if (config instanceof ConfigError) {
    for (const sentence of config.problems) yield problem(sentence);
    return;
  }
  yield ok('The configuration is valid');
  for (const sentence of config.warnings) yield warning(sentence);
  const isEmbedded = config.databaseUrl === null;
  const isDirUsable = yield* explained(checkDataDir(config));
  // Without its directory, an embedded installation has nothing else to check.
  if (isDirUsable || !isEmbedded) yield* explained(checkServing(config));
  yield checkMetricsAccess(config);
  yield* checkSignUp(config);
  const isServerUsable = yield* explained(checkServers(config));
  yield* explained(checkValkey(config));
  yield* explained(checkSingleSignOn(config));
  if (isEmbedded ? isDirUsable : isServerUsable) yield* explained(checkDatabases(config));
}

function readConfig(env: NodeJS.ProcessEnv): Config | ConfigError {
  try {
    return loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/**
 * Reports the failure of a check as a problem, so that the next check still runs. Returns the result of the check, or
 * undefined after a failure.
 */
async function* explained<Result>(
  findings: AsyncGenerator<Finding, Result>,
): AsyncGenerator<Finding, Result | undefined> {
  try {
    return yield* findings;
  } catch (error) {
    yield problem(sentenceOf(error));
    return undefined;
  }
}

async function* checkDatabases(config: Config): AsyncGenerator<Finding> {
  if (config.databaseUrl === null && !existsSync(platformFile(config.dataDir))) {
    yield ok('There is no data yet: the first start creates the databases');
    return;
  }
  // `checkDataDir` has found the key, so this does not create one.
  const keyring = createKeyring(config.appKey ?? loadOrCreateAppKey(config.dataDir), config.previousAppKeys);
  const platform = connectPlatformDb(config);
  try {
    if (!(yield* checkPlatformSchema(platform))) return;
    yield await checkAppKey(platform, keyring, config);
    yield* checkPlatformRecords(platform, Date.now());
    yield* checkAllTenants(config, platform, keyring);
  } finally {
    await platform.close();
  }
}

async function* checkAllTenants(config: Config, platform: PlatformDb, keyring: Keyring): AsyncGenerator<Finding> {
  const placements = await listPlacements(platform);
  const clock = systemClock();
  const seedTenant = createFirstSigningKey({ clock, keyring });
  const databases = openTenantDatabases(config, { platform, keyring, clock, seedTenant });
  yield* explained(checkNodes(platform, databases.places, clock.now()));
  const secrets = new SecretCheck(keyring);
  await secrets.add('the platform', platform, sealedColumns.platform);
  yield* explained(checkTenants(platform, databases, placements, { secrets }));
  yield* explained(secrets.findings(platform));
  yield* explained(findOrphans(config, placements, Date.now()));
}
