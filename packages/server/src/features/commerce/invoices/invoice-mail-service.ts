import type { PlatformTransaction } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import { enqueueOpenInvoice } from './invoice-mail.ts';
import type { InvoiceParties } from './parties.ts';
import { markMailed } from './sync-queries.ts';

interface Mailing {
  readonly kind: 'sent' | 'reminder';
  readonly invoice: InvoicesTable;
  readonly parties: InvoiceParties;
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Enqueues an open invoice, or the reminder of an overdue one, and stores when, in the caller's transaction, which has
 * locked the tenant. The caller must call `mail.kick` after the commit.
 */
export async function mailInvoice(
  services: Pick<Services, 'config' | 'mail'>,
  tx: PlatformTransaction,
  { kind, invoice, parties, now, at }: Mailing,
): Promise<void> {
  await markMailed(tx, invoice.id, kind === 'sent' ? 'sent_at' : 'reminded_at', at);
  await enqueueOpenInvoice(services, tx, { kind, invoice, parties, now });
}
