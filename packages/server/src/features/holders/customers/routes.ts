import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { eraseCustomer } from './erasure-service.ts';
import { addNote, deleteNote, readNotes } from './note-service.ts';
import {
  CreateCustomerNote,
  Customer,
  CustomerDetails,
  CustomerExport,
  CustomerNote,
  CustomerNotesQuery,
  CustomersQuery,
  EmailParams,
  NoteParams,
  UpdateCustomer,
} from './schemas.ts';
import { exportCustomer, readCustomer, readCustomers, updateCustomer } from './service.ts';

const tags = ['Customers'] as const;
const errors = ['CUSTOMER.NOT_FOUND'] as const;

/** Registers the routes of customers: the licenses of a tenant by the email address of their holder. */
export function customerRoutes(services: Services): TenantRoute[] {
  return [
    ...noteRoutes(services),
    tenantRoute('GET', '', {
      operationId: 'listCustomers',
      summary: 'List customers',
      tags,
      description: 'Ordered by email address. Licenses without an address belong to no customer.',
      querystring: CustomersQuery,
      response: { 200: PageEnvelope(Customer) },
      async handler({ request, tenant }) {
        return successPage(request, await readCustomers(services, tenant, request.query));
      },
    }),
    tenantRoute('GET', '/:email', {
      operationId: 'getCustomer',
      summary: 'Read a customer',
      tags,
      errors,
      params: EmailParams,
      response: { 200: Envelope(CustomerDetails) },
      async handler({ request, tenant }) {
        return success(request, await readCustomer(services, tenant, request.params.email));
      },
    }),
    tenantRoute('PUT', '/:email', {
      operationId: 'updateCustomer',
      summary: 'Change a customer',
      tags,
      errors,
      description:
        'Changes the holder of all licenses of the customer. Each changed license has its own audit record and its own ' +
        '`license.updated` event. Many licenses are changed in parts: if the service is interrupted, repeat the ' +
        'request.',
      params: EmailParams,
      body: UpdateCustomer,
      response: { 200: Envelope(CustomerDetails) },
      async handler({ request, tenant, actor }) {
        return success(request, await updateCustomer(services, tenant, actor, request.params.email, request.body));
      },
    }),
    tenantRoute('DELETE', '/:email', {
      operationId: 'eraseCustomer',
      summary: 'Erase the personal data of a customer',
      tags,
      errors,
      description:
        'Removes the holder from all licenses of the customer, also from deleted ones, and the names and IP ' +
        'addresses of their devices, also in audit records, stored events and mails. The licenses and devices keep ' +
        'working. Metadata that you stored yourself stay. Cannot be undone. If the service is interrupted, repeat the ' +
        'request.',
      params: EmailParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await eraseCustomer(services, tenant, actor, request.params.email);
        return successDeleted(request, request.params.email);
      },
    }),
    tenantRoute('GET', '/:email/export', {
      operationId: 'exportCustomer',
      summary: 'Export the personal data of a customer',
      tags,
      errors,
      description: 'Returns everything that is stored about the person, to answer a request for access.',
      params: EmailParams,
      response: { 200: Envelope(CustomerExport) },
      async handler({ request, tenant }) {
        return success(request, await exportCustomer(services, tenant, request.params.email));
      },
    }),
  ];
}

function noteRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:email/notes', {
      operationId: 'listCustomerNotes',
      summary: 'List the notes about a customer',
      tags,
      errors,
      params: EmailParams,
      querystring: CustomerNotesQuery,
      response: { 200: PageEnvelope(CustomerNote) },
      async handler({ request, tenant, actor }) {
        return successPage(request, await readNotes(services, tenant, actor, request.params.email, request.query));
      },
    }),
    creatingRoute(services, '/:email/notes', {
      operationId: 'createCustomerNote',
      summary: 'Write a note about a customer',
      tags,
      errors,
      description: 'The note is about the address: it follows when `PUT /customers/{email}` changes the address.',
      params: EmailParams,
      body: CreateCustomerNote,
      response: { 201: Envelope(CustomerNote) },
      create: ({ request, tenant, actor }) => addNote(services, tenant, actor, request.params.email, request.body),
      answer: (note) => ({ status: 201, data: note }),
    }),
    tenantRoute('DELETE', '/:email/notes/:note_id', {
      operationId: 'deleteCustomerNote',
      summary: 'Delete a note about a customer',
      tags,
      errors: ['CUSTOMER_NOTE.NOT_FOUND'],
      params: NoteParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteNote(services, tenant, actor, request.params);
        return successDeleted(request, request.params.note_id);
      },
    }),
  ];
}
