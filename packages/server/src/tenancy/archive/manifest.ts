import { createHash } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { isUuid } from '../../lib/ids.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { assertKey, formatVersion, isSignedBy, refusal, signatureOf } from './format.ts';
import { syncFolder, type WrittenArchive } from './writer.ts';

const Archive = Type.Object({
  sha256: Type.String(),
  rows: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
});

const Content = Type.Object({
  backup: Type.Literal('licensing'),
  version: Type.Integer({ minimum: 1 }),
  service_version: Type.String(),
  started_at: Type.String(),
  finished_at: Type.String(),
  platform_schema: Type.String(),
  app_key_fingerprint: Type.String(),
  platform: Archive,
  tenants: Type.Array(Type.Object({ id: Type.String(), ...Archive.properties })),
});

/** What a finished backup says of itself. It names no files: their names follow from the tenants' ids. */
export type Manifest = Static<typeof Content>;

const Signed = Type.Object({ ...Content.properties, signature: Type.String() });

/** Far more than the manifest of a hundred thousand tenants has. */
const manifestBytesMax = 256 * 1024 * 1024;

export const platformArchive = (folder: string) => join(folder, 'platform.ndjson.gz');
export const tenantFolder = (folder: string) => join(folder, 'tenants');
export const tenantArchive = (folder: string, tenantId: string) => join(tenantFolder(folder), `${tenantId}.ndjson.gz`);
const manifestFile = (folder: string) => join(folder, 'manifest.json');

function digestOf(content: Manifest): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** One archive of a manifest. */
export function archiveEntry({ sha256, rows, bytes }: WrittenArchive): Static<typeof Archive> {
  return { sha256, rows, bytes };
}

/** Writes the manifest, signed, under a temporary name first: where it stands, the backup is complete. */
export async function writeManifest(folder: string, content: Manifest, keyring: Keyring): Promise<void> {
  const signed = { ...content, signature: signatureOf(keyring, 'manifest', digestOf(content)) };
  const file = manifestFile(folder);
  const handle = await open(`${file}.partial`, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(signed, null, 1)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.partial`, file);
  await syncFolder(folder);
}

/** Reads the manifest of a complete backup. Throws one sentence about what is wrong with it. */
export async function readManifest(folder: string, keyring: Keyring): Promise<Manifest> {
  const file = manifestFile(folder);
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined) {
    throw refusal(folder, 'holds no complete backup: its manifest.json is missing. Finish it with "licensing backup".');
  }
  if (size > manifestBytesMax) throw refusal(file, 'is too long for any backup of this service: use another copy.');
  const value = parseJson(await readFile(file, 'utf8'));
  const version = typeof value === 'object' && value !== null ? Number(Reflect.get(value, 'version')) : Number.NaN;
  if (version > formatVersion) throw refusal(file, 'was written by a newer version of this program: use that version.');
  if (!Check(Signed, value)) throw refusal(file, 'is no manifest of this service, or is damaged: use another copy.');
  assertKey(file, value.app_key_fingerprint, keyring);
  const { signature, ...content } = value;
  const isWhole = isSignedBy(keyring, 'manifest', digestOf(content), signature);
  const ids = new Set(content.tenants.map(({ id }) => id));
  if (!isWhole || ids.size < content.tenants.length || ![...ids].every(isUuid)) {
    throw refusal(file, 'is damaged or was altered: its signature is wrong. Use another copy.');
  }
  return content;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
