import type { PlatformTransaction } from '../../../db/database.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { formatMoney } from '../../../lib/money.ts';
import { type BillingMailKind, billingMail } from '../../../mail/templates/billing.ts';
import type { CustomerDetails, ProviderInvoice } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { BillingOutcome } from '../../accounts/tenants/billing-service.ts';
import { stagesBegun } from './dunning.ts';
import { findCustomer, noteStage } from './sync-queries.ts';

interface DunningInput {
  readonly tenant: TenantsTable;
  readonly row: SubscriptionsTable;
  /** The effect of this transaction on the tenant. */
  readonly effect: BillingOutcome;
  readonly owners: readonly string[];
  readonly invoices: readonly ProviderInvoice[];
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Enqueues the mails about a missing payment, in the caller's transaction. The owners and the billing address get one
 * mail per stage and failed payment. When several stages have begun since the last sync, only the last one is mailed.
 */
export async function enqueueDunningMails(
  services: Pick<Services, 'config' | 'mail'>,
  tx: PlatformTransaction,
  input: DunningInput,
): Promise<void> {
  const kind = await dueMailKind(tx, input);
  if (kind === undefined) return;
  const { tenant, row, owners } = input;
  const open = openInvoice(input.invoices);
  const customer = await findCustomer(tx, tenant.id);
  const details: CustomerDetails | null = JSON.parse(customer?.details_json ?? 'null');
  const recipients = new Set([...owners, ...(details === null ? [] : [details.email])]);
  for (const to of recipients) {
    const mail = billingMail(kind, {
      to,
      tenantName: tenant.name,
      amount: open === undefined ? null : formatMoney(open.amountDue, open.currency),
      paymentUrl: open?.paymentUrl ?? null,
      graceEndsAt: row.grace_ends_at,
      publicUrl: services.config.publicUrl,
    });
    await services.mail.enqueue(tx, mail);
  }
}

/** Returns the kind of mail that is due, and marks the stages that have begun as sent. */
async function dueMailKind(
  tx: PlatformTransaction,
  { tenant, row, effect, now, at }: DunningInput,
): Promise<BillingMailKind | undefined> {
  if (effect === 'restored') return 'restored';
  const since = row.past_due_since;
  // A payment does not help a tenant that an operator suspended or closed.
  if (since === null || tenant.status === 'closed') return undefined;
  let last: BillingMailKind | undefined;
  for (const stage of stagesBegun(row, now)) {
    if (await noteStage(tx, { subscriptionId: row.id, since, stage, at })) last = stage;
  }
  const isSuspendedOtherwise = tenant.status === 'suspended' && tenant.suspended_for === null;
  return isSuspendedOtherwise ? undefined : last;
}

/** Returns the oldest invoice that is unpaid; `invoices` has the newest first. */
function openInvoice(invoices: readonly ProviderInvoice[]): ProviderInvoice | undefined {
  return invoices.filter(({ status, amountDue }) => status === 'open' && amountDue > 0).at(-1);
}
