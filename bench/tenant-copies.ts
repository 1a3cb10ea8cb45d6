import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OpenServices } from '../packages/server/src/app.ts';
import { apiKeyHint, generateApiKey } from '../packages/server/src/features/accounts/api-keys/api-key.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import { tenantFile } from '../packages/server/src/tenancy/placement.ts';
import type { Applicant } from './site.ts';

const rowsPerInsert = 500;

/**
 * Copies an embedded tenant many times: its file, with the id replaced by one of the same length, and its row. No
 * process may have the tenant open. Returns the new ids.
 */
export async function copyEmbeddedTenant(
  { platform, config }: OpenServices,
  tenantId: string,
  count: number,
): Promise<string[]> {
  const original = await readFile(tenantFile(config.dataDir, tenantId));
  const at = positionsOf(original, tenantId);
  const ids = Array.from({ length: count }, () => newId());
  for (const id of ids) {
    for (const position of at) original.write(id, position);
    const path = tenantFile(config.dataDir, id);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, original);
  }
  const row = await platform.query
    .selectFrom('tenants')
    .selectAll()
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow();
  for (let first = 0; first < count; first += rowsPerInsert) {
    const rows = ids.slice(first, first + rowsPerInsert).map((id) => ({ ...row, id, name: `Copy ${id}` }));
    await platform.query.insertInto('tenants').values(rows).execute();
  }
  return ids;
}

function positionsOf(file: Buffer, text: string): number[] {
  const positions: number[] = [];
  for (let at = file.indexOf(text); at !== -1; at = file.indexOf(text, at + 1)) positions.push(at);
  return positions;
}

/** Copies a benchmark tenant many times, each copy with its own API key. */
export async function copyApplicant(services: OpenServices, applicant: Applicant, count: number): Promise<Applicant[]> {
  const { platform, keyring } = services;
  const ofOriginal = platform.query.selectFrom('api_keys').selectAll().where('tenant_id', '=', applicant.tenantId);
  const original = await ofOriginal.executeTakeFirstOrThrow();
  const ids = await copyEmbeddedTenant(services, applicant.tenantId, count);
  const copies = ids.map((tenantId) => ({ ...applicant, tenantId, apiKey: generateApiKey() }));
  for (let first = 0; first < count; first += rowsPerInsert) {
    const rows = copies.slice(first, first + rowsPerInsert).map(({ tenantId, apiKey }) => ({
      ...{ ...original, id: newId(), tenant_id: tenantId },
      ...{ key_hash: keyring.hash(apiKey), hint: apiKeyHint(apiKey) },
    }));
    await platform.query.insertInto('api_keys').values(rows).execute();
  }
  return copies;
}
