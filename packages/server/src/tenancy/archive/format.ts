import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Migrations } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { tenantMigrations } from '../../db/migrations/tenant/index.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Keyring } from '../../lib/keyring.ts';

// An archive is gzip over lines of JSON: a header; for each table a line that names it and its columns, and a line per
// row, an array of its values; and a last line with the number of rows of each table, the SHA-256 of all lines before,
// and a signature of that under the application key.

export const formatVersion = 1;

/** Longer than any row that the service writes; a reader holds no more of a line than this. */
export const lineBytesMax = 16 * 1024 * 1024;

const Header = Type.Object({
  /** `tenant`: one tenant's database and its rows of the platform; `platform`: every row of the platform. */
  archive: Type.Union([Type.Literal('tenant'), Type.Literal('platform')]),
  version: Type.Integer({ minimum: 1 }),
  service_version: Type.String(),
  created_at: Type.String(),
  tenant_id: Type.Union([Type.String(), Type.Null()]),
  /** The last migration of the tenant's database; null in an archive of the platform. */
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

/** What every trailer begins with, and no other line. */
export const trailerStart = '{"end":';

/** The signature of an archive's digest: only who has the application key can write an archive that is read. */
export function signatureOf(keyring: Keyring, kind: string, sha256: string): string {
  return keyring.hash(`licensing-archive/v1 ${kind} ${sha256}`);
}

/** True for a signature under the application key or a previous one. */
export function isSignedBy(keyring: Keyring, kind: string, sha256: string, signature: string): boolean {
  const text = `licensing-archive/v1 ${kind} ${sha256}`;
  return [keyring.hash(text), ...keyring.previousHashes(text)].includes(signature);
}

/** A failure that names the file and says what to do. */
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
  throw refusal(file, `is no archive of this service, or is damaged: ${what}. Use another copy.`);
}

/** Reads the first line, and refuses what this program or this application key cannot read. */
export function parseHeader(file: string, line: string, keyring: Keyring): Header {
  const version = versionOf(line);
  if (version > formatVersion) throw refusal(file, 'was written by a newer version of this program: use that version.');
  const header = parse(Header, file, line, 'its first line is no header');
  if (header.archive === 'tenant' && !(isUuid(header.tenant_id ?? '') && header.schema !== null)) {
    throw refusal(file, 'is no archive of this service: its header names no tenant.');
  }
  assertKnownSchema(file, header.platform_schema, platformMigrations);
  if (header.schema !== null) assertKnownSchema(file, header.schema, tenantMigrations);
  assertKey(file, header.app_key_fingerprint, keyring);
  return header;
}

/** Before the rest of the header, whose form belongs to the version. */
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

/** Without the key nothing encrypted could be opened and no API key would work. */
export function assertKey(file: string, fingerprint: string, keyring: Keyring): void {
  if ([keyring.fingerprint, ...keyring.previousFingerprints].includes(fingerprint)) return;
  throw refusal(
    file,
    `was written under another application key (fingerprint ${fingerprint}): set that key as APP_KEY, or add it to APP_PREVIOUS_KEYS.`,
  );
}

/** Reads a line that names a table. */
export function parseTableLine(file: string, line: string): TableLine {
  return parse(TableLine, file, line, 'a line names no table');
}

/** Reads the last line. */
export function parseTrailer(file: string, line: string): Trailer {
  return parse(Trailer, file, line, 'its last line is incomplete').end;
}
