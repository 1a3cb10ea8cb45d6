import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import type { components } from './schema.gen.ts';

export type ImportResult = components['schemas']['ImportResult'];

interface ImportOptions {
  readonly partial?: boolean;
  readonly dry_run?: boolean;
  readonly idempotencyKey?: string;
}

/** Returns the media type of a file of licenses by its name; NDJSON if the name says so, otherwise CSV. */
function mediaTypeOf(file: Pick<File, 'name'>): 'text/csv' | 'application/x-ndjson' {
  return /\.(ndjson|jsonl)$/i.test(file.name) ? 'application/x-ndjson' : 'text/csv';
}

/** Sends a file of licenses: to check it with `dry_run`, otherwise to import it. */
export async function importLicenses(
  surface: Surface,
  file: File,
  { partial = false, dry_run = false, idempotencyKey }: ImportOptions,
): Promise<ImportResult> {
  return await dataOf(
    apiOf(surface).POST('/api/v1/tenant/licenses/import', {
      params: {
        query: { partial, dry_run },
        ...(idempotencyKey !== undefined && { header: { 'Idempotency-Key': idempotencyKey } }),
      },
      headers: { 'content-type': mediaTypeOf(file) },
      // The document describes the file as text; the browser sends its bytes as they are.
      body: file as unknown as string,
      bodySerializer: (body: unknown) => body as Blob,
    }),
  );
}
