import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type Customer = components['schemas']['Customer'];
export type CustomerDetails = components['schemas']['CustomerDetails'];
type UpdateCustomer = components['schemas']['UpdateCustomer'];
type CustomerFilters = NonNullable<operations['listCustomers']['parameters']['query']>;

/** Query-key prefix of customers. */
export const customersKey = (surface: Surface) => keyOf(surface, 'customers');

/** Reads one page of customers. */
export function customersQuery(surface: Surface, query: CustomerFilters) {
  return listQuery([...customersKey(surface), 'list', query], () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/customers', { params: { query } })),
  );
}

/** Reads a customer with its newest licenses. */
export function customerQuery(surface: Surface, email: string) {
  return queryOptions({
    queryKey: [...customersKey(surface), email.toLowerCase()],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/customers/{email}', { params: { path: { email } } })),
  });
}

/** Changes the holder of all licenses of a customer. */
export function updateCustomer(surface: Surface, email: string, body: UpdateCustomer) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/customers/{email}', { params: { path: { email } }, body }));
}

export type CustomerNote = components['schemas']['CustomerNote'];

/** Reads one page of the notes about a customer. */
export function customerNotesQuery(surface: Surface, email: string, cursor: string | undefined) {
  return listQuery([...customersKey(surface), email.toLowerCase(), 'notes', cursor], () =>
    bodyOf(
      apiOf(surface).GET('/api/v1/tenant/customers/{email}/notes', {
        params: { path: { email }, query: { limit: 10, ...(cursor !== undefined && { cursor }) } },
      }),
    ),
  );
}

/** Writes a note about a customer, once per `idempotencyKey`. */
export function createCustomerNote(surface: Surface, email: string, text: string, idempotencyKey: string) {
  const params = { path: { email }, ...once(idempotencyKey) };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/customers/{email}/notes', { params, body: { text } }));
}

/** Deletes a note about a customer. */
export function deleteCustomerNote(surface: Surface, email: string, note_id: string) {
  const params = { path: { email, note_id } };
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/customers/{email}/notes/{note_id}', { params }));
}

/** Erases the personal data of a customer. The licenses keep working. */
export function eraseCustomer(surface: Surface, email: string) {
  return dataOf(apiOf(surface).DELETE('/api/v1/tenant/customers/{email}', { params: { path: { email } } }));
}

/** Reads everything that is stored about a customer. */
export function exportCustomer(surface: Surface, email: string) {
  return dataOf(apiOf(surface).GET('/api/v1/tenant/customers/{email}/export', { params: { path: { email } } }));
}
