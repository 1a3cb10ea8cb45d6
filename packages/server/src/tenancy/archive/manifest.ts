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

/** The description of a complete backup. It lists no file names: they derive from the tenants' ids. */
export type Manifest = Static<typeof Content>;

const Signed = Type.Object({ ...Content.properties, signature: Type.String() });

/** Far more than the manifest of 100,000 tenants needs. */
const manifestBytesMax = 256 * 1024 * 1024;

/** The archive of the platform in a backup's folder. */
export const platformArchive = (folder: string) => join(folder, 'platform.ndjson.gz');
/** The folder of the tenants' archives in a backup's folder. */
export const tenantFolder = (folder: string) => join(folder, 'tenants');
/** The archive of one tenant in a backup's folder. */
export const tenantArchive = (folder: string, tenantId: string) => join(tenantFolder(folder), `${tenantId}.ndjson.gz`);
const manifestFile = (folder: string) => join(folder, 'manifest.json');

function digestOf(content: Manifest): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Returns the manifest's entry for an archive. */
export function archiveEntry({ sha256, rows, bytes }: WrittenArchive): Static<typeof Archive> {
  return { sha256, rows, bytes };
}

/** Signs and writes the manifest, under a temporary name first: a file `manifest.json` marks a complete backup. */
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

/** Reads and verifies the manifest of a complete backup. Throws an error with one sentence about the problem. */
export async function readManifest(folder: string, keyring: Keyring): Promise<Manifest> {
  const file = manifestFile(folder);
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined) {
    throw refusal(
      folder,
      'holds no complete backup: its manifest.json is missing. Complete it with "licensing backup".',
    );
  }
  if (size > manifestBytesMax) throw refusal(file, 'is too long to be the manifest of a backup: use another copy.');
  const value = parseJson(await readFile(file, 'utf8'));
  const version = typeof value === 'object' && value !== null ? Number(Reflect.get(value, 'version')) : Number.NaN;
  if (version > formatVersion) throw refusal(file, 'was written by a newer version of this program: use that version.');
  if (!Check(Signed, value)) throw refusal(file, 'is not a manifest of this service, or is damaged: use another copy.');
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
