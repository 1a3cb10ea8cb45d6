import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Customer = components['schemas']['Customer'];
export type CustomerDetails = components['schemas']['CustomerDetails'];

/** Query-key prefix of customers. */
export const customersKey = (surface: Surface) => keyOf(surface, 'customers');

/** Reads one page of customers. */
export const customersQuery = onSurface.list('/api/v1/tenant/customers', ['customers', 'list']);

/** Reads a customer with its newest licenses. */
export function customerQuery(surface: Surface, email: string) {
  return queryOptions({
    queryKey: [...customersKey(surface), email.toLowerCase()],
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/customers/{email}', { params: { path: { email } } })),
  });
}

/** Changes the holder of all licenses of a customer. */
export const updateCustomer = onSurface.PUT('/api/v1/tenant/customers/{email}');

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
export const createCustomerNote = onSurface.POST('/api/v1/tenant/customers/{email}/notes');

/** Deletes a note about a customer. */
export const deleteCustomerNote = onSurface.DELETE('/api/v1/tenant/customers/{email}/notes/{note_id}');

/** Erases the personal data of a customer. The licenses keep working. */
export const eraseCustomer = onSurface.DELETE('/api/v1/tenant/customers/{email}');

/** Reads everything that is stored about a customer. */
export const exportCustomer = onSurface.GET('/api/v1/tenant/customers/{email}/export');
