import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { listAppKeys } from '../../db/app-keys.ts';
import type { Database, PlatformDb } from '../../db/database.ts';
import { add, countByKey, type KeyCounts, type SealedColumn, unknownKey } from '../../db/sealed.ts';
import { hasStatus } from '../../features/accounts/credentials/credential.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { sealedColumns } from '../../sealed-columns.ts';
import { defineCommand, exitCodes, type Terminal } from '../command.ts';
import { forEachTenant, type SealedPlaces, withSealedPlaces } from './sealed-places.ts';

/** Counts what each application key is still needed for. */
export const keysStatus = defineCommand({
  name: 'keys status',
  summary: 'Count the stored secrets that each application key encrypts.',
  details:
    'Opens every secret of the platform and of every tenant, and changes nothing. Exits with 1 when a tenant could not\n' +
    'be read, or when a secret needs a key that is not configured.',
  options: { json: { type: 'boolean', description: 'Print one JSON object instead of lines.' } },
  async run({ terminal, values: { json = false } }) {
    return await withSealedPlaces(terminal.env, async (places) => {
      const { keys, failed } = await readStatus(places, terminal);
      const credentials = await countCredentials(places.platform, places.clock.now());
      if (json) {
        terminal.print(JSON.stringify({ keys, credentials, failed_tenants: failed }));
      } else {
        for (const key of keys) terminal.print(lineOf(key));
        terminal.print(sentenceOfCredentials(credentials));
      }
      if (failed.length > 0)
        terminal.note(`${failed.length} tenants could not be read: the counts lack their secrets.`);
      const isUnreadable = keys.some(({ state, secrets }) => state === 'missing' && secrets > 0);
      return failed.length === 0 && !isUnreadable ? exitCodes.done : exitCodes.failed;
    });
  },
});

interface KeyStatus {
  readonly id: string;
  /** `former`: configured in `APP_PREVIOUS_KEYS`. `missing`: not configured. */
  readonly state: 'current' | 'former' | 'missing';
  readonly secrets: number;
  /** The numbers of secrets by kind. */
  readonly by_kind: Readonly<Record<string, number>>;
  /** Whether a start without the key is refused. */
  readonly needed: boolean;
}

async function readStatus(
  places: SealedPlaces,
  terminal: Terminal,
): Promise<{ readonly keys: KeyStatus[]; readonly failed: string[] }> {
  const { platform, databases, keyring } = places;
  const kinds = new Map<string, KeyCounts>();
  const count = async <Tables>(database: Pick<Database<Tables>, 'query'>, columns: readonly SealedColumn<Tables>[]) => {
    for (const column of columns) {
      for (const [fingerprint, number] of await countByKey(database, column, keyring)) {
        const byKind = kinds.get(fingerprint) ?? new Map<string, number>();
        kinds.set(fingerprint, byKind);
        add(byKind, column.what, number);
      }
    }
  };
  await count(platform, sealedColumns.platform);
  const failed = await forEachTenant(places, {
    terminal,
    async work(record) {
      const database = databases.connect(record);
      try {
        await count(database, sealedColumns.tenant);
      } finally {
        await database.close();
      }
    },
  });
  const noted = await listAppKeys(platform);
  const ids = new Set([
    keyring.fingerprint,
    ...keyring.previousFingerprints,
    ...noted.flatMap(({ fingerprint, resealed_at }) => (resealed_at === null ? [fingerprint] : [])),
    ...kinds.keys(),
  ]);
  const keys = Array.from(ids, (id): KeyStatus => {
    const byKind = kinds.get(id) ?? new Map<string, number>();
    const secrets = byKind.values().reduce((sum, number) => sum + number, 0);
    const isNoted = noted.some(({ fingerprint, resealed_at }) => fingerprint === id && resealed_at === null);
    const state = stateOf(id, places);
    return { id, state, secrets, by_kind: Object.fromEntries(byKind), needed: state === 'current' || isNoted };
  });
  return { keys, failed };
}

function stateOf(id: string, { keyring }: SealedPlaces): KeyStatus['state'] {
  if (id === keyring.fingerprint) return 'current';
  return keyring.previousFingerprints.includes(id) ? 'former' : 'missing';
}

function lineOf({ id, state, secrets, by_kind, needed }: KeyStatus): string {
  const kinds = Object.entries(by_kind).map(([what, count]) => `${count} ${what}`);
  const list = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return `${id === unknownKey ? 'another key' : id}  ${state.padEnd(7)}  ${secrets} secrets${list}${remedyOf(state, secrets, needed)}`;
}

function remedyOf(state: KeyStatus['state'], secrets: number, needed: boolean): string {
  if (state === 'missing' && (secrets > 0 || needed)) return ': add the key to APP_PREVIOUS_KEYS';
  if (state === 'former' && needed) return ': run "licensing keys reseal" before you remove the key';
  return '';
}

interface CredentialCounts {
  /** Since when the current key is the current one; null if the key was never changed. */
  readonly rotated_at: Timestamp | null;
  readonly api_keys: number;
  readonly access_tokens: number;
  readonly sessions: number;
}

/**
 * Counts the valid credentials that may stop working without the former keys: those from before the last change of the
 * key that were not used since. Their hashes do not tell the key.
 */
async function countCredentials(platform: PlatformDb, now: Timestamp): Promise<CredentialCounts> {
  const rotations = (await listAppKeys(platform)).map(({ replaced_at }) => replaced_at);
  const rotatedAt = rotations.sort().at(-1) ?? null;
  if (rotatedAt === null) return { rotated_at: null, api_keys: 0, access_tokens: 0, sessions: 0 };
  const count = async (
    table: 'api_keys' | 'tenant_access_tokens' | 'access_tokens',
    conditions: RawBuilder<SqlBool>,
  ) => {
    const row = await platform.query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('created_at', '<', rotatedAt)
      .where(conditions)
      .where(sql<SqlBool>`(last_used_at is null or last_used_at < ${rotatedAt})`)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };
  return {
    rotated_at: rotatedAt,
    api_keys: await count('api_keys', hasStatus('active', now)),
    access_tokens: await count('tenant_access_tokens', hasStatus('active', now)),
    sessions: await count('access_tokens', sql<SqlBool>`expires_at > ${now}`),
  };
}

function sentenceOfCredentials({ rotated_at, api_keys, access_tokens, sessions }: CredentialCounts): string {
  if (rotated_at === null) return 'The application key was never changed: no API key or token needs a former one.';
  return (
    `Not used since the key was changed at ${rotated_at}: ${api_keys} API keys, ${access_tokens} access tokens, ` +
    `${sessions} logins. A stored hash does not tell its key. They stop working when the former key is removed.`
  );
}
