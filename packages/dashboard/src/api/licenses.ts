import { queryOptions } from '@tanstack/react-query';
import type { Surface, SurfaceId } from '../surfaces.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type License = components['schemas']['LicenseDetails'];
export type UpdateLicense = components['schemas']['UpdateLicense'];
export type Verdict = components['schemas']['Verdict'];
export type ValidateLicense = components['schemas']['ValidateLicense'];
export type EntitlementCheck = components['schemas']['EntitlementCheck'];
export type LicenseFilters = NonNullable<operations['listLicenses']['parameters']['query']>;
type UsageFilters = NonNullable<operations['listUsage']['parameters']['query']>;

/** Query-key prefix of licenses. */
export const licensesKey = (surface: SurfaceId) => keyOf(surface, 'licenses');

/** Reads one page of licenses. */
export const licensesQuery = onSurface.list('/api/v1/tenant/licenses', ['licenses', 'list'], {
  query: { include: 'details' },
});

/** Reads one license. Devices change it, so it is read again while somebody looks at it. */
export const licenseQuery = onSurface.one('/api/v1/tenant/licenses/{id}', ['licenses'], {
  query: { include: 'details' },
  refetchInterval: 10_000,
});

/** Reads the effective entitlements of a license with their use in the current period. */
export const licenseEntitlementsQuery = onSurface.one(
  '/api/v1/tenant/licenses/{id}/entitlements',
  ['licenses', '{id}', 'entitlements'],
  { refetchInterval: 10_000 },
);

/** A month of a few entitlements; more pages than that are not read. */
const usagePagesMax = 5;

/** Reads the daily usage of a license since a time. */
export function licenseUsageQuery(surface: Surface, id: string, from: string) {
  return queryOptions({
    queryKey: [...licensesKey(surface), id, 'usage', from],
    queryFn: () => readUsage(surface, { license_id: id, from, interval: 'day', limit: 100 }),
  });
}

type UsageBucket = components['schemas']['UsageBucket'];

async function readUsage(surface: Surface, query: UsageFilters, pages = usagePagesMax): Promise<UsageBucket[]> {
  const { data, meta } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/usage', { params: { query } }));
  if (meta.next_cursor === null || pages === 1) return data;
  return [...data, ...(await readUsage(surface, { ...query, cursor: meta.next_cursor }, pages - 1))];
}

/** Issues a license. */
export const createLicense = onSurface.POST('/api/v1/tenant/licenses');

/** Changes the fields of a license that `body` contains. */
export const updateLicense = onSurface.PUT('/api/v1/tenant/licenses/{id}');

/** Deletes a license and frees its devices and its key. */
export const deleteLicense = onSurface.DELETE('/api/v1/tenant/licenses/{id}');

const transitions = {
  suspend: onSurface.POST('/api/v1/tenant/licenses/{id}/suspend'),
  reinstate: onSurface.POST('/api/v1/tenant/licenses/{id}/reinstate'),
  revoke: onSurface.POST('/api/v1/tenant/licenses/{id}/revoke'),
};

/** An action that changes the status of a license, with a reason. */
export type LicenseTransition = keyof typeof transitions;

/** Changes the status of a license. The reason is shown on its page. */
export function changeLicenseStatus(surface: Surface, id: string, transition: LicenseTransition, reason: string) {
  return transitions[transition](surface, id, reason.trim() === '' ? {} : { reason: reason.trim() });
}

/** Replaces the key of a license, once per `idempotencyKey`. */
export const rotateLicenseKey = onSurface.POST('/api/v1/tenant/licenses/{id}/rotate-key');

type LicenseRenewal = components['schemas']['LicenseRenewal'];

/** Extends a license by its policy's duration, or by another one; once per `idempotencyKey`. */
export const renewLicense = onSurface.POST('/api/v1/tenant/licenses/{id}/renew');

/** The query of a license as a renewal would make it now. The service refuses one after which it would still be expired. */
export function renewalQuery(surface: Surface, id: string, body: LicenseRenewal) {
  const params = { path: { id } };
  return queryOptions({
    queryKey: [...licensesKey(surface), id, 'renewal', body],
    queryFn: () =>
      dataOf(apiOf(surface).POST('/api/v1/tenant/licenses/{id}/renew', { params, body: { ...body, dry_run: true } })),
  });
}

export type LicenseCheck = components['schemas']['LicenseCheck'];

/** Reads what the devices of a license asked. They go on asking, so it is read again while somebody looks at it. */
export const licenseChecksQuery = onSurface.list(
  '/api/v1/tenant/licenses/{id}/checks',
  ['licenses', '{id}', 'checks'],
  { refetchInterval: 10_000 },
);

/** Activates a device by hand, such as one without a network. */
export const activateDevice = onSurface.POST('/api/v1/tenant/licenses/{id}/activations');

/** Turns a trial into a license of the policy that was bought, once per `idempotencyKey`. */
export const convertLicense = onSurface.POST('/api/v1/tenant/licenses/{id}/convert');

/** Returns what an application would be told about a license now. Changes nothing. */
export const tryLicense = onSurface.POST('/api/v1/tenant/licenses/{id}/validate');

/** Issues an offline certificate. */
export const issueCertificate = onSurface.POST('/api/v1/tenant/licenses/{id}/certificate');

/** Reads every license that matches the filters, as a file. */
export const exportLicenses = onSurface.file('/api/v1/tenant/licenses/export');

/** The service takes at most this many ids at once. */
const exportedIdsMax = 100;

/** Reads the licenses with these ids, as a file. */
export async function exportLicensesById(
  surface: Surface,
  ids: readonly string[],
  format: 'csv' | 'ndjson',
): Promise<Blob> {
  const parts: string[] = [];
  for (let start = 0; start < ids.length; start += exportedIdsMax) {
    const text = await (
      await exportLicenses(surface, { ids: ids.slice(start, start + exportedIdsMax), format })
    ).text();
    // Only the first part keeps the header.
    parts.push(start > 0 && format === 'csv' ? text.slice(text.indexOf('\n') + 1) : text);
  }
  return new Blob(parts);
}

export type ImportResult = components['schemas']['ImportResult'];

export type LicenseImport = components['schemas']['LicenseImport'];

/** Returns true for the names of NDJSON files; any other file of licenses is CSV. */
export function isNdjson({ name }: Pick<File, 'name'>): boolean {
  return /\.(ndjson|jsonl)$/i.test(name);
}

/** Returns what an import of a file would do. */
export async function checkImport(surface: Surface, file: File): Promise<ImportResult> {
  const answer = await sendImport(surface, file, { query: { dry_run: true } });
  if ('columns' in answer) return answer;
  throw new Error('The service imported the file instead of checking it. Open the list of licenses.');
}

/** Starts the import of the valid rows of a file, once per `idempotencyKey`. */
export async function startImport(
  surface: Surface,
  file: File,
  { notifiesCustomers, idempotencyKey }: { readonly notifiesCustomers: boolean; readonly idempotencyKey: string },
): Promise<LicenseImport> {
  const query = { background: true, notify_holder: notifiesCustomers };
  const answer = await sendImport(surface, file, { query, ...once(idempotencyKey) });
  if ('id' in answer) return answer;
  throw new Error('The service did not start the import. Try again.');
}

// Not an interface: the client's options have an index signature.
type ImportParams = {
  readonly query: { readonly dry_run?: boolean; readonly background?: boolean; readonly notify_holder?: boolean };
  readonly header?: { readonly 'Idempotency-Key': string };
};

/** The response depends on the query, which the types of the paths do not say. */
async function sendImport(surface: Surface, file: File, params: ImportParams): Promise<ImportResult | LicenseImport> {
  return await dataOf<ImportResult | LicenseImport>(
    apiOf(surface).POST('/api/v1/tenant/licenses/import', {
      params,
      headers: { 'content-type': isNdjson(file) ? 'application/x-ndjson' : 'text/csv' },
      // The document describes the file as text; the browser sends its bytes as they are.
      body: file as unknown as string,
      bodySerializer: (body: unknown) => body as Blob,
    }),
  );
}

/** Ends a running import. */
export const cancelImport = onSurface.POST('/api/v1/tenant/licenses/imports/{id}/cancel');

/** Reads an import, and its progress while it runs. */
export const licenseImportQuery = onSurface.one('/api/v1/tenant/licenses/imports/{id}', ['licenses', 'imports'], {
  refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1000 : false),
});

/** Reads the newest licenses of a product or of a policy. */
export const licensesOfQuery = onSurface.page('/api/v1/tenant/licenses', ['licenses', 'of'], {
  query: { limit: 10, include: 'details' },
});

/** Reads the licenses that a filter offers: the newest, or the ones that match the words. */
export const licenseOptionsQuery = onSurface.page('/api/v1/tenant/licenses', ['licenses', 'options'], {
  query: { limit: 20 },
});
