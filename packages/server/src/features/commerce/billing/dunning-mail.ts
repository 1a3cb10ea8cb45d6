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

interface Telling {
  readonly tenant: TenantsTable;
  readonly row: SubscriptionsTable;
  /** What this transaction did to the tenant. */
  readonly effect: BillingOutcome;
  readonly owners: readonly string[];
  readonly invoices: readonly ProviderInvoice[];
  readonly now: Timestamp;
  readonly at: Timestamp;
}

/**
 * Queues what the owners and whoever gets the bills must know of a missing payment: each stage once for each time that a
 * payment fails. Where several stages begin at once, because nobody looked for a while, only the last is told.
 */
export async function tellOwners(
  services: Pick<Services, 'config' | 'mail'>,
  tx: PlatformTransaction,
  telling: Telling,
): Promise<void> {
  const kind = await kindToTell(tx, telling);
  if (kind === undefined) return;
  const { tenant, row, owners } = telling;
  const open = openInvoice(telling.invoices);
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

async function kindToTell(
  tx: PlatformTransaction,
  { tenant, row, effect, now, at }: Telling,
): Promise<BillingMailKind | undefined> {
  if (effect === 'restored') return 'restored';
  const since = row.past_due_since;
  // A tenant that an operator suspended or closed is not told that a payment would help.
  if (since === null || tenant.status === 'closed') return undefined;
  let last: BillingMailKind | undefined;
  for (const stage of stagesBegun(row, now)) {
    if (await noteStage(tx, { subscriptionId: row.id, since, stage, at })) last = stage;
  }
  const isSuspendedOtherwise = tenant.status === 'suspended' && tenant.suspended_for === null;
  return isSuspendedOtherwise ? undefined : last;
}

/** The oldest invoice that is still to be paid. */
function openInvoice(invoices: readonly ProviderInvoice[]): ProviderInvoice | undefined {
  return invoices.filter(({ status, amountDue }) => status === 'open' && amountDue > 0).at(-1);
}
