import { type Kysely, type SqlBool, sql } from 'kysely';
import { toTimestamp } from '../../../lib/clock.ts';
import { isPostgres } from '../../dialect.ts';

const batchSize = 1000;

/** The database of any version of the tables; this migration reads and writes these columns only. */
interface Tables {
  activations: {
    id: string;
    license_id: string;
    fingerprint: string;
    last_heartbeat_at: string;
    released_at: string | null;
    release_reason: 'deactivated' | null;
  };
  trials: { id: string; product_id: string; fingerprint: string };
  trial_requests: { id: string; product_id: string; fingerprint: string };
  plan_use: { resource: string; used: number };
}

type Db = Kysely<Tables>;

/** Stores every fingerprint in Unicode NFC, in which it is looked up from now on. */
export async function up<Any>(any: Kysely<Any>): Promise<void> {
  // A migration receives no type of the tables, because later ones change them.
  const db = any as unknown as Db;
  await normalizeActivations(db);
  // Of a device with two trials the other one is found; this row still remembers its address.
  await normalizeTrials(db, 'trials', async () => undefined);
  await normalizeTrials(db, 'trial_requests', async (id) => {
    await db.deleteFrom('trial_requests').where('id', '=', id).execute();
  });
}

/** Matches texts that are not ASCII: no other has a second spelling. */
function mayVary(db: Db) {
  return isPostgres(db) ? sql<SqlBool>`fingerprint ~ '[^ -~]'` : sql<SqlBool>`fingerprint glob '*[^ -~]*'`;
}

const storedForm = (fingerprint: string) => fingerprint.normalize('NFC');
const varies = ({ fingerprint }: { readonly fingerprint: string }) => storedForm(fingerprint) !== fingerprint;

/** Calls `change` for each row that another spelling replaces. */
async function forEachVarying<Row extends { readonly id: string; readonly fingerprint: string }>(
  readBatch: (after: string) => Promise<readonly Row[]>,
  change: (row: Row, stored: string) => Promise<void>,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await readBatch(after);
    for (const row of rows.filter(varies)) await change(row, storedForm(row.fingerprint));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

const activationColumns = ['id', 'license_id', 'fingerprint', 'last_heartbeat_at', 'released_at'] as const;

async function normalizeActivations(db: Db): Promise<void> {
  const activations = db.selectFrom('activations').select(activationColumns);
  const readBatch = (after: string) =>
    activations.where('id', '>', after).where(mayVary(db)).orderBy('id').limit(batchSize).execute();
  let released = 0;
  await forEachVarying(readBatch, async (row, fingerprint) => {
    const others = activations.where('license_id', '=', row.license_id).where('fingerprint', '=', fingerprint);
    const other = row.released_at === null && (await others.where('released_at', 'is', null).executeTakeFirst());
    if (other) {
      // Both seats are the same device: the one with the newest heartbeat stays.
      const unused = other.last_heartbeat_at > row.last_heartbeat_at ? row.id : other.id;
      const release = { released_at: toTimestamp(Date.now()), release_reason: 'deactivated' } as const;
      await db.updateTable('activations').set(release).where('id', '=', unused).execute();
      released += 1;
    }
    await db.updateTable('activations').set({ fingerprint }).where('id', '=', row.id).execute();
  });
  if (released === 0) return;
  const use = db.updateTable('plan_use').set(({ eb }) => ({ used: eb('used', '-', released) }));
  await use.where('resource', '=', 'activations').execute();
}

async function normalizeTrials(
  db: Db,
  table: 'trials' | 'trial_requests',
  onTaken: (id: string) => Promise<void>,
): Promise<void> {
  const trials = db.selectFrom(table).select(['id', 'product_id', 'fingerprint']);
  const readBatch = (after: string) =>
    trials.where('id', '>', after).where(mayVary(db)).orderBy('id').limit(batchSize).execute();
  await forEachVarying(readBatch, async ({ id, product_id }, fingerprint) => {
    const taken = trials.where('product_id', '=', product_id).where('fingerprint', '=', fingerprint);
    if (await taken.executeTakeFirst()) await onTaken(id);
    else await db.updateTable(table).set({ fingerprint }).where('id', '=', id).execute();
  });
}
