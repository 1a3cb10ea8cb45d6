import { insertRow } from '../../../db/rows.ts';
import type { CustomerNotesTable } from '../../../db/tables/tenant/checks.ts';
import type { PageRequest } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { readActorNames } from '../../accounts/actor-names/service.ts';
import { type ActorNames, recordAudit } from '../../tenant-core/audit/audit.ts';
import { deleteNoteRow, listNotes } from './note-queries.ts';
import type { CreateCustomerNote, CustomerNote, NoteParams } from './schemas.ts';
import { assertCustomer } from './service.ts';

/** Returns one page of the notes about a customer, newest first. Throws 404 `CUSTOMER.NOT_FOUND`. */
export async function readNotes(
  services: Services,
  tenant: Tenant,
  reader: Actor,
  email: string,
  page: PageRequest,
): Promise<Page<CustomerNote>> {
  await assertCustomer(tenant.db, email);
  const { rows, nextCursor } = await listNotes(tenant.db, email, page);
  const names = await namesOf(services, tenant, reader, rows);
  return { rows: rows.map((row) => presentNote(row, names)), nextCursor };
}

/** Writes a note about a customer. The audit record does not repeat its text. Throws 404 `CUSTOMER.NOT_FOUND`. */
export async function addNote(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  email: string,
  { text }: CreateCustomerNote,
): Promise<CustomerNote> {
  await assertCustomer(tenant.db, email);
  const row: CustomerNotesTable = {
    id: newId(),
    email_key: foldEmail(email),
    text: text.trim(),
    author_type: actor.type === 'admin' ? 'admin' : 'user',
    author_id: actor.id ?? '',
    author_created_by: actor.createdBy ?? null,
    created_at: services.clock.now(),
  };
  const names = await namesOf(services, tenant, actor, [row]);
  return await tenant.db.transaction(async (tx) => {
    await insertRow(tx, 'customer_notes', row);
    await recordAudit(tx, actor, auditOf(row.id, 'CUSTOMER_NOTE.CREATED', row.created_at));
    return presentNote(row, names);
  });
}

/** Deletes a note about a customer. Throws 404 `CUSTOMER_NOTE.NOT_FOUND`. */
export async function deleteNote(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  actor: Actor,
  { email, note_id: id }: NoteParams,
): Promise<void> {
  await tenant.db.transaction(async (tx) => {
    if (!(await deleteNoteRow(tx, email, id))) {
      const message = 'The note does not exist. List the notes of the customer to see which ones do.';
      throw new AppError('CUSTOMER_NOTE.NOT_FOUND', message);
    }
    await recordAudit(tx, actor, auditOf(id, 'CUSTOMER_NOTE.DELETED', clock.now()));
  });
}

function auditOf(id: string, event: string, at: string) {
  return { event, resourceType: 'customer_note', resourceId: id, changes: [], at };
}

function namesOf({ platform }: Services, tenant: Tenant, reader: Actor, rows: readonly CustomerNotesTable[]) {
  const authors = rows.map((row) => ({
    actor_type: row.author_type,
    actor_id: row.author_id,
    actor_created_by: row.author_created_by,
  }));
  return readActorNames(platform, authors, { tenantId: tenant.id, namesAdmins: reader.type === 'admin' });
}

function presentNote({ id, text, author_type, author_id, created_at }: CustomerNotesTable, names: ActorNames) {
  return { id, text, author_type, author_id, author_name: names.get(author_id) ?? null, created_at };
}
