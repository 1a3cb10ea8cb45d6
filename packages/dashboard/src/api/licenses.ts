import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type License = components['schemas']['LicenseDetails'];
export type CreateLicense = components['schemas']['CreateLicense'];
export type UpdateLicense = components['schemas']['UpdateLicense'];
export type Verdict = components['schemas']['Verdict'];
export type ValidateLicense = components['schemas']['ValidateLicense'];
export type EntitlementCheck = components['schemas']['EntitlementCheck'];
export type LicenseFilters = NonNullable<operations['listLicenses']['parameters']['query']>;
type UsageFilters = NonNullable<operations['listUsage']['parameters']['query']>;
type ExportFilters = NonNullable<operations['exportLicenses']['parameters']['query']>;

/** Query-key prefix of licenses. */
export const licensesKey = (surface: Surface) => keyOf(surface, 'licenses');

/** Reads one page of licenses. */
export function licensesQuery(surface: Surface, query: LicenseFilters) {
  return queryOptions({
    queryKey: [...licensesKey(surface), 'list', query],
    queryFn: () =>
      bodyOf(apiOf(surface).GET('/api/v1/tenant/licenses', { params: { query: { ...query, include: 'details' } } })),
    placeholderData: keepPreviousData,
  });
}

/** Reads one license. Devices change it, so it is read again while somebody looks at it. */
export function licenseQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...licensesKey(surface), id],
    queryFn: () =>
      dataOf(
        apiOf(surface).GET('/api/v1/tenant/licenses/{id}', { params: { path: { id }, query: { include: 'details' } } }),
      ),
    refetchInterval: 10_000,
  });
}

/** Reads the effective entitlements of a license with their use in the current period. */
export function licenseEntitlementsQuery(surface: Surface, id: string) {
  return queryOptions({
    queryKey: [...licensesKey(surface), id, 'entitlements'],
    queryFn: () =>
      dataOf(apiOf(surface).GET('/api/v1/tenant/licenses/{id}/entitlements', { params: { path: { id } } })),
    refetchInterval: 10_000,
  });
}

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
export function createLicense(surface: Surface, body: CreateLicense, idempotencyKey: string) {
  const header = { 'Idempotency-Key': idempotencyKey };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/licenses', { params: { header }, body }));
}

/** Changes the fields of a license that `body` contains. */
export function updateLicense(surface: Surface, id: string, body: UpdateLicense) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/licenses/{id}', { params: { path: { id } }, body }));
}

/** Deletes a license and frees its devices and its key. */
export function deleteLicense(surface: Surface, id: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/licenses/{id}', { params: { path: { id } } }));
}

/** An action on a license that has no input. */
export type LicenseAction = 'suspend' | 'reinstate' | 'revoke' | 'renew' | 'rotate-key';

/** Performs an action. A repetition with the same `idempotencyKey` does not renew or rotate again. */
export function actOnLicense(surface: Surface, id: string, action: LicenseAction, idempotencyKey: string) {
  const params = { path: { id } };
  const once = { ...params, header: { 'Idempotency-Key': idempotencyKey } };
  const api = apiOf(surface);
  switch (action) {
    case 'suspend':
      return dataOf(api.POST('/api/v1/tenant/licenses/{id}/suspend', { params }));
    case 'reinstate':
      return dataOf(api.POST('/api/v1/tenant/licenses/{id}/reinstate', { params }));
    case 'revoke':
      return dataOf(api.POST('/api/v1/tenant/licenses/{id}/revoke', { params }));
    case 'renew':
      return dataOf(api.POST('/api/v1/tenant/licenses/{id}/renew', { params: once }));
    case 'rotate-key':
      return dataOf(api.POST('/api/v1/tenant/licenses/{id}/rotate-key', { params: once }));
  }
}

/** Validates a license as an application does. It counts as a validation. */
export function tryLicense(surface: Surface, id: string, body: ValidateLicense) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/licenses/{id}/validate', { params: { path: { id } }, body }));
}

/** Issues an offline certificate. */
export function issueCertificate(
  surface: Surface,
  id: string,
  body: { readonly fingerprint?: string; readonly ttl_seconds?: number },
) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/licenses/{id}/certificate', { params: { path: { id } }, body }));
}

/** Reads every license that matches the filters, as a file. */
export async function exportLicenses(surface: Surface, query: ExportFilters): Promise<Blob> {
  return await bodyOf(apiOf(surface).GET('/api/v1/tenant/licenses/export', { params: { query }, parseAs: 'blob' }));
}
