import { type NewInvoice, PaymentProviderError } from '../provider.ts';
import { changeAccount, changeInvoice } from './accounts.ts';
import { assertPrice } from './amounts.ts';
import { readNow } from './clock.ts';
import { type SandboxContext, sandboxIdOf } from './context.ts';
import { writeEvents } from './events.ts';
import { addDraft, collect, finalizeInvoice, taxAgain } from './invoices.ts';
import { recordInvoiceEvent, type SandboxInvoice } from './state.ts';
import { deleteInvoice, findSandboxInvoice, lockAccount } from './store.ts';
import { restore, setPeriodCharge } from './subscription.ts';

type Lines = SandboxInvoice['lines'];

/** Returns the lines of a single invoice. Throws `refused` for amounts that providers do not accept. */
function linesOf({ lines, currency }: NewInvoice): Lines {
  const made = lines.map(({ description, quantity, unitAmount }) => {
    if (!Number.isSafeInteger(quantity) || quantity < 1) {
      throw new PaymentProviderError('refused', 'A quantity must be an integer above 0.');
    }
    const amount = quantity * unitAmount;
    assertPrice({ amount: Math.abs(amount), currency });
    return { description, quantity, amount, periodStartsAt: null, periodEndsAt: null };
  });
  if (made.length === 0) throw new PaymentProviderError('refused', 'An invoice needs a line. Add one.');
  assertPrice({ amount: Math.abs(made.reduce((sum, { amount }) => sum + amount, 0)), currency });
  return made;
}

/** Implements `createInvoice` of the provider. */
export async function createSandboxInvoice(
  context: SandboxContext,
  customerId: string,
  invoice: NewInvoice,
): Promise<SandboxInvoice> {
  const lines = linesOf(invoice);
  const { reference, currency, dueInDays } = invoice;
  const id = sandboxIdOf('in', reference);
  const created = await changeAccount(
    context,
    { customer_id: customerId },
    (work, at) => {
      const known = work.invoices.find((one) => one.id === id);
      if (known !== undefined) return known;
      const fields = {
        id,
        subscriptionId: null,
        currency,
        collectionMethod: 'send',
        couponCode: null,
        dueInDays,
      } as const;
      const draft = addDraft(work, { lines, discount: 0 }, at, fields);
      recordInvoiceEvent(work, 'invoice.created', draft, at);
      return draft;
    },
    { invoiceId: id },
  );
  if (created === undefined) throw new Error('A change without an idempotency key has a result.');
  return created;
}

/** Implements `deleteDraft` of the provider. Throws `refused` for the draft of a subscription. */
export async function deleteSandboxDraft(context: SandboxContext, id: string): Promise<void> {
  const found = await findSandboxInvoice(context.platform.query, id);
  if (found === undefined) return;
  await context.platform.transaction(async (tx) => {
    const work = await lockAccount(tx, context, { customer_id: found.customerId }, id);
    const invoice = work?.invoices.find((one) => one.id === id);
    if (work === undefined || invoice === undefined) return;
    if (invoice.status !== 'draft' || invoice.subscriptionId !== null) {
      throw new PaymentProviderError(
        'refused',
        'Only the draft of a single invoice can be deleted. Void this invoice instead.',
      );
    }
    await deleteInvoice(tx, id);
    recordInvoiceEvent(work, 'invoice.deleted', invoice, await readNow(tx, context.clock));
    await writeEvents(tx, context, work.events);
  });
  context.kick();
}

/**
 * Implements `finalizeInvoice` of the provider. An invoice with nothing to pay is paid at once; any other waits for a
 * payment.
 */
export async function finalizeSandboxInvoice(context: SandboxContext, id: string): Promise<void> {
  await changeInvoice(context, id, (work, invoice, at) => {
    if (invoice.status !== 'draft') return;
    taxAgain(work, invoice);
    const { subscription } = work.account;
    const isOfPeriod = invoice.subscriptionId !== null && invoice.createdAt === subscription?.currentPeriodStartsAt;
    if (subscription !== null && isOfPeriod) setPeriodCharge(subscription, invoice);
    finalizeInvoice(work, invoice, at);
    if (invoice.amountDue > 0) return;
    collect(work, invoice, at, 'later');
    restore(work, invoice, at);
  });
}
