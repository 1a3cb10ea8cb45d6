// What both peers share: their setup, and a table of licenses that they read with `node:sqlite`.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';

/**
 * Reads the setup from standard input: `folder` for the database, `answer` (a verdict of the service in its envelope),
 * and for each of `tenants` its `licenseKeys`.
 */
export async function readSetup() {
  return JSON.parse(await text(process.stdin));
}

/** Opens the database as the service does: with a write-ahead log, flushed at each commit. */
export function openDatabase({ folder }) {
  const database = new DatabaseSync(join(folder, 'peer.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  return database;
}

/** Stores the licenses. Returns a function that finds one of a tenant by its key. */
export function createLicenses(database, tenants) {
  database.exec(`
    create table licenses (
      id integer primary key, tenant integer not null, key text not null, status text not null, expires_at text,
      holder_name text, holder_email text, max_activations integer, metadata text not null);
    create unique index licenses_key on licenses (tenant, key);
    BEGIN`);
  const insert = database.prepare(
    "insert into licenses values (null, ?, ?, 'active', '2099-01-01T00:00:00Z', 'Ada', 'ada@example.com', 5, '{}')",
  );
  for (const [tenant, { licenseKeys }] of tenants.entries()) for (const key of licenseKeys) insert.run(tenant, key);
  database.exec('COMMIT');
  const find = database.prepare('select * from licenses where tenant = ? and key = ?');
  return (tenant, key) => find.get(tenant, key);
}

/** Returns the verdict about a license, or undefined for one that is not valid. */
export function verdictOf(answer, license, product) {
  const isValid = license?.status === 'active' && license.expires_at > new Date().toISOString();
  if (!isValid || product !== 'editor') return undefined;
  const { key, expires_at, holder_name: name, holder_email: email } = license;
  const data = { ...answer.data, license: { ...answer.data.license, key, expires_at, holder: { name, email } } };
  return { data, meta: answer.meta };
}
