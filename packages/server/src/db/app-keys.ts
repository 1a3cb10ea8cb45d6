import type { Timestamp } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import type { PlatformDb, PlatformTransaction } from './database.ts';
import { isMissingTable } from './errors.ts';
import { countSealed, type SealedColumn } from './sealed.ts';
import type { AppKeysTable } from './tables/platform/installation.ts';
import type { PlatformTables } from './tables/platform-tables.ts';

/**
 * The former application keys that stored secrets may still need. A key is noted when it is replaced, and when it is
 * first configured as a previous key: then every secret may need it. `licensing keys reseal` completes it. Without this
 * record a start would have to open the database of every tenant to know whether a key is still needed.
 */
export async function listAppKeys(platform: PlatformDb): Promise<AppKeysTable[]> {
  try {
    return await platform.query.selectFrom('app_keys').selectAll().orderBy('noted_at').orderBy('fingerprint').execute();
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/** Returns the former keys that secrets may need and that are not configured. */
export async function listMissingKeys(platform: PlatformDb, keyring: Keyring): Promise<AppKeysTable[]> {
  const known = [keyring.fingerprint, ...keyring.previousFingerprints];
  const keys = await listAppKeys(platform);
  return keys.filter(({ fingerprint, resealed_at }) => resealed_at === null && !known.includes(fingerprint));
}

/** Says which key is missing, about how many secrets need it, and what to do. */
export function missingKey({ fingerprint, secrets }: AppKeysTable): { readonly text: string; readonly advice: string } {
  return {
    text: `The former application key ${fingerprint} is not configured, but stored secrets (about ${secrets}) may still need it.`,
    advice:
      'Add that key to APP_PREVIOUS_KEYS, run "licensing keys reseal", and remove the key when that command has ' +
      `succeeded. If the key is lost, accept the loss of what it sealed: "licensing keys reseal --give-up ${fingerprint}".`,
  };
}

/** Notes the previous keys that are not known yet, and in any case `replaced`, the key that was current until now. */
export async function noteFormerKeys(
  tx: PlatformTransaction,
  keyring: Keyring,
  options: {
    readonly at: Timestamp;
    readonly replaced?: string;
    readonly columns: readonly SealedColumn<PlatformTables>[];
  },
): Promise<void> {
  const rows = await tx.selectFrom('app_keys').select('fingerprint').execute();
  const known = new Set(rows.map(({ fingerprint }) => fingerprint));
  const noted = keyring.previousFingerprints.filter((one) => one === options.replaced || !known.has(one));
  if (noted.length === 0) return;
  const secrets = await countSecrets(tx, options.columns);
  for (const fingerprint of new Set(noted)) {
    await noteKey(tx, { fingerprint, secrets, noted_at: options.at, replaced_at: options.at });
  }
}

/** Notes that secrets of an imported tenant may need any of the previous keys. */
export async function noteImport(tx: PlatformTransaction, keyring: Keyring, at: Timestamp): Promise<void> {
  const previous = [...keyring.previousFingerprints];
  if (previous.length === 0) return;
  const again = { noted_at: at, secrets: 1, resealed_at: null };
  await tx.updateTable('app_keys').set(again).where('fingerprint', 'in', previous).execute();
}

async function noteKey(tx: PlatformTransaction, key: Omit<AppKeysTable, 'resealed_at'>): Promise<void> {
  const row = { ...key, resealed_at: null };
  await tx
    .insertInto('app_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('fingerprint').doUpdateSet(row))
    .execute();
}

/** Estimates the number of secrets: those of the platform, and one signing key of each tenant. */
async function countSecrets(
  tx: PlatformTransaction,
  columns: readonly SealedColumn<PlatformTables>[],
): Promise<number> {
  const { tenants } = await tx
    .selectFrom('tenants')
    .select(({ fn }) => fn.countAll<number>().as('tenants'))
    .executeTakeFirstOrThrow();
  let count = Number(tenants);
  for (const column of columns) count += await countSealed(tx, column);
  return count;
}

/**
 * Records the end of a run that sealed secrets again. A key that was noted again since `startedAt` stays as it is,
 * because the run may have missed the secrets that need it.
 */
export async function completeKey(
  platform: PlatformDb,
  fingerprint: string,
  { secrets, startedAt, at }: { readonly secrets: number; readonly startedAt: Timestamp; readonly at: Timestamp },
): Promise<void> {
  await platform.query
    .updateTable('app_keys')
    .set({ secrets, resealed_at: secrets === 0 ? at : null })
    .where('fingerprint', '=', fingerprint)
    .where('noted_at', '<=', startedAt)
    .execute();
}
