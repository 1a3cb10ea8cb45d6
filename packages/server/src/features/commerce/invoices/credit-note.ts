import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { CreditNote } from './schemas.ts';

/** An invoice with its credit notes, the oldest first. */
export interface CreditedInvoice extends InvoicesTable {
  readonly credit_notes: readonly CreditNotesTable[];
}

/** Returns the part of printed numbers that distinguishes tenants: the last eight digits of the tenant's id. */
export function numberPrefix(tenantId: string): string {
  return tenantId.slice(-8).toUpperCase();
}

/** Returns the printed number of a credit note, such as `9F3A01BC-CN-0001`. The numbers of a tenant have no gaps. */
export function creditNoteNumber({ number, tenant_id }: Pick<CreditNotesTable, 'number' | 'tenant_id'>): string {
  return `${numberPrefix(tenant_id)}-CN-${String(number).padStart(4, '0')}`;
}

/** Returns the view of a credit note. */
export function presentCreditNote(row: CreditNotesTable): CreditNote {
  const { id, amount, tax, reason, created_at } = row;
  return { id, number: creditNoteNumber(row), amount, tax, reason, created_at };
}
