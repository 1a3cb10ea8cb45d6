import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Migrations } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { tenantMigrations } from '../../db/migrations/tenant/index.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Keyring } from '../../lib/keyring.ts';

// An archive is gzip-compressed NDJSON:
// - a header;
// - for each table, a line with its name and columns, then one line per row: an array of the values;
// - a trailer with the number of rows of each table, the SHA-256 of all lines before it, and a signature of that
//   digest with the application key.

/** The version of the archive format that this program writes, and the newest that it reads. */
export const formatVersion = 1;

/** The maximum length of a line. It exceeds every row that the service writes, and bounds a reader's memory. */
export const lineBytesMax = 16 * 1024 * 1024;

const Header = Type.Object({
  /** `tenant`: one tenant's database and its platform rows; `platform`: all rows of the platform database. */
  archive: Type.Union([Type.Literal('tenant'), Type.Literal('platform')]),
  version: Type.Integer({ minimum: 1 }),
  service_version: Type.String(),
  created_at: Type.String(),
  tenant_id: Type.Union([Type.String(), Type.Null()]),
  /** The last migration applied to the tenant's database; null in an archive of the platform. */
  schema: Type.Union([Type.String(), Type.Null()]),
  platform_schema: Type.String(),
  app_key_fingerprint: Type.String(),
});
export type Header = Static<typeof Header>;

const TableLine = Type.Object({ table: Type.String(), columns: Type.Array(Type.String(), { minItems: 1 }) });
export type TableLine = Static<typeof TableLine>;

const Trailer = Type.Object({
  end: Type.Object({
    rows: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
    sha256: Type.String(),
    signature: Type.String(),
  }),
});
export type Trailer = Static<typeof Trailer>['end'];

/** The first characters of the trailer; no other line starts with them. */
export const trailerStart = '{"end":';

/**
 * Signs an archive's digest. Only a holder of the application key can produce an archive that `readArchive` accepts.
 */
export function signatureOf(keyring: Keyring, kind: string, sha256: string): string {
  return keyring.hash(`licensing-archive/v1 ${kind} ${sha256}`);
}

/** Returns true for a signature made with the application key or a previous one. */
export function isSignedBy(keyring: Keyring, kind: string, sha256: string, signature: string): boolean {
  const text = `licensing-archive/v1 ${kind} ${sha256}`;
  return [keyring.hash(text), ...keyring.previousHashes(text)].includes(signature);
}

/** Returns an error about `file`: `sentence` states the problem and what to do. */
export function refusal(file: string, sentence: string): Error {
  return new Error(`${file} ${sentence}`);
}

function parse<Schema extends TSchema>(schema: Schema, file: string, line: string, what: string): Static<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (Check(schema, value)) return value as Static<Schema>;
  throw refusal(file, `is not an archive of this service, or is damaged: ${what}. Use another copy.`);
}

/**
 * Parses the first line. Throws for an archive of a newer format or schema, and for one that was written under an
 * unknown application key.
 */
export function parseHeader(file: string, line: string, keyring: Keyring): Header {
  const version = versionOf(line);
  if (version > formatVersion) throw refusal(file, 'was written by a newer version of this program: use that version.');
  const header = parse(Header, file, line, 'its first line is not a header');
  if (header.archive === 'tenant' && !(isUuid(header.tenant_id ?? '') && header.schema !== null)) {
    throw refusal(file, 'is not an archive of this service: its header names no tenant. Use another copy.');
  }
  assertKnownSchema(file, header.platform_schema, platformMigrations);
  if (header.schema !== null) assertKnownSchema(file, header.schema, tenantMigrations);
  assertKey(file, header.app_key_fingerprint, keyring);
  return header;
}

/** Reads the version before the rest of the header is validated, because the version determines the header's shape. */
function versionOf(line: string): number {
  try {
    return Number(JSON.parse(line).version);
  } catch {
    return Number.NaN;
  }
}

function assertKnownSchema(file: string, schema: string, migrations: Migrations): void {
  if (Object.hasOwn(migrations, schema)) return;
  const latest = Object.keys(migrations).sort().at(-1) ?? '';
  const isNewer = schema > latest;
  throw refusal(
    file,
    isNewer
      ? `has the schema ${schema} of a newer version of this program: use that version.`
      : `has the schema ${schema}, which this program does not know: use the version that wrote it.`,
  );
}

/**
 * Throws unless `fingerprint` is that of the application key or of a previous one. With another key, no encrypted value
 * could be decrypted and no API key would be valid.
 */
export function assertKey(file: string, fingerprint: string, keyring: Keyring): void {
  if ([keyring.fingerprint, ...keyring.previousFingerprints].includes(fingerprint)) return;
  throw refusal(
    file,
    `was written under another application key (fingerprint ${fingerprint}): set that key as APP_KEY, or add it to APP_PREVIOUS_KEYS.`,
  );
}

/** Parses the line that introduces a table. */
export function parseTableLine(file: string, line: string): TableLine {
  return parse(TableLine, file, line, 'a line between the rows does not name a table');
}

/** Parses the last line. */
export function parseTrailer(file: string, line: string): Trailer {
  return parse(Trailer, file, line, 'its last line is incomplete').end;
}
