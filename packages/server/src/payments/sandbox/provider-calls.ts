import { findRow } from '../../db/rows.ts';
import type { SandboxCheckoutsTable } from '../../db/tables/platform/payments.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { orThrow } from '../../lib/error.ts';
import type { CostPreview, NewInvoice, PaymentProvider, ProviderCheckout, ProviderInvoice } from '../provider.ts';
import { assertPrice, sumOf } from './amounts.ts';
import { type Card, workingCard } from './cards.ts';
import { expireSandboxCheckout } from './checkouts.ts';
import { planClockWork, readNow } from './clock.ts';
import { assertPaid, newSandboxId, refusal, type SandboxContext, sandboxIdOf } from './context.ts';
import { redeemCoupon } from './coupons.ts';
import { verifySandboxEvent } from './events.ts';
import { addDraft, attachCard, collect, finalizeInvoice, refundPart, settleUnpaid } from './invoices.ts';
import { checkoutUrl, invoiceUrl, portalUrl } from './links.ts';
import { type Account, recordEvent, type SandboxInvoice, subscriptionOf, type Work } from './state.ts';
import {
  changeAccount,
  changeInvoice,
  changeOnce,
  findAccount,
  findSandboxInvoice,
  listSandboxInvoices,
  notFound,
} from './store.ts';
import {
  assertAccepts,
  assertNotOver,
  cancelAtOnce,
  changePlan,
  chargeDifference,
  dropPendingChange,
  extendTrial,
  passTime,
  setCancelAtPeriodEnd,
} from './subscription.ts';

const checkoutOpenForDays = 1;

/** Returns the sandbox as a payment provider. `PaymentProvider` says what the calls do. */
export function createProvider(context: SandboxContext): PaymentProvider {
  const { platform, clock, keyring } = context;
  const { query } = platform;
  return {
    name: 'sandbox',
    billingPortalChangesDetails: true,
    now: () => readNow(query, clock),
    verifyEvent: (rawBody, headers) =>
      verifySandboxEvent(keyring, rawBody, headers['sandbox-signature'], clock.nowMs()),

    async createCheckout({ reference, customer: _customer, ...terms }) {
      assertPrice(terms.price);
      const row = await platform.transaction(async (tx) => {
        const at = await readNow(tx, clock);
        const due_at = addDays(at, checkoutOpenForDays);
        const state = { status: 'open', customer_id: null, subscription_id: null, created_at: at, due_at } as const;
        await tx
          .insertInto('sandbox_checkouts')
          .values({ id: newSandboxId('cs'), reference, terms_json: JSON.stringify(terms), ...state })
          .onConflict((conflict) => conflict.column('reference').doNothing())
          .execute();
        await planClockWork(tx, context, due_at);
        const query = tx.selectFrom('sandbox_checkouts').selectAll().where('reference', '=', reference);
        return query.executeTakeFirstOrThrow();
      });
      return presentCheckout(context, row);
    },
    async findCheckout(id) {
      const row = await findRow(context.platform.query, 'sandbox_checkouts', id);
      return row && presentCheckout(context, row);
    },
    expireCheckout: (id) => expireSandboxCheckout(context, id),

    async createCustomer(tenantId, details) {
      const customer_id = sandboxIdOf('cus', tenantId);
      const account: Account = { customerId: customer_id, card: null, balance: {}, details, subscription: null };
      await query
        .insertInto('sandbox_accounts')
        .values({ customer_id, subscription_id: customer_id, state_json: JSON.stringify(account), due_at: null })
        .onConflict((conflict) => conflict.column('customer_id').doNothing())
        .execute();
      return customer_id;
    },
    findCustomerDetails: async (id) => (await findAccount(query, id))?.details ?? undefined,
    async findCard(id) {
      const { card = null } = (await findAccount(query, id)) ?? {};
      return card === null ? undefined : { brand: card.brand, last4: card.last4, expMonth: null, expYear: null };
    },
    updateCustomer: (id, details) =>
      changeAccount(context, id, (work, at) => {
        work.account.details = details;
        recordEvent(work, 'customer.updated', at, id);
      }),
    async createBillingPortalSession(customerId, returnUrl) {
      if ((await findAccount(query, customerId)) === undefined) throw notFound('customer');
      return { url: portalUrl(context, { customerId, returnUrl }) };
    },
    async addCredit(id, credit, key) {
      assertPrice(credit);
      await changeOnce(context, id, `credit ${id} ${key}`, (work, at) => {
        const { balance } = work.account;
        balance[credit.currency] = (balance[credit.currency] ?? 0) + credit.amount;
        recordEvent(work, 'customer.updated', at, id);
      });
    },

    async findSubscription(id) {
      const account = await findAccount(query, id);
      if (!account?.subscription) return undefined;
      const { price, pendingPrice, anchorAt: _anchor, periodCharge: _charge, ...rest } = account.subscription;
      const { trialReminderAt: _reminder, ...shown } = rest;
      const pendingChange = pendingPrice && {
        planCode: pendingPrice.planCode,
        interval: pendingPrice.interval,
        amount: pendingPrice.amount,
        at: shown.currentPeriodEndsAt,
      };
      const { planName: _name, ...shownPrice } = price;
      const { customerId, card } = account;
      return { ...shown, ...shownPrice, customerId, hasPaymentMethod: card !== null, pendingChange };
    },
    async previewChange(id, price) {
      assertPrice(price);
      const { work } = await rehearse(context, id);
      const at = await readNow(query, clock);
      passTime(work, at);
      assertAccepts(subscriptionOf(work), price);
      chargeDifference(work, price, at);
      return costOf(work, at);
    },
    async previewRenewal(id) {
      const { work, card } = await rehearse(context, id);
      const subscription = subscriptionOf(work);
      const { status, currentPeriodEndsAt } = subscription;
      if (status === 'trialing' && card === null) return undefined;
      passTime(work, currentPeriodEndsAt);
      return subscription.status === 'canceled' ? undefined : costOf(work, currentPeriodEndsAt);
    },
    async changePlan(id, price, when, key) {
      assertPrice(price);
      await changeOnce(context, id, `change ${id} ${key}`, (work, at) => changePlan(work, price, when, at));
    },
    cancelPendingChange: (id) => changeAccount(context, id, dropPendingChange),
    setCancelAtPeriodEnd: (id, cancels) =>
      changeAccount(context, id, (work, at) => setCancelAtPeriodEnd(work, cancels, at)),
    cancelNow: (id) => changeAccount(context, id, cancelAtOnce),
    extendTrial: (id, trialEndsAt) => changeAccount(context, id, (work, at) => extendTrial(work, trialEndsAt, at)),

    async createCoupon(coupon) {
      const row = {
        code: coupon.code,
        coupon_json: JSON.stringify(coupon),
        is_active: 1,
        redemptions: 0,
        max_redemptions: coupon.maxRedemptions,
        expires_at: coupon.expiresAt,
        created_at: clock.now(),
      } as const;
      const insert = query.insertInto('sandbox_coupons').values(row);
      await insert.onConflict((conflict) => conflict.column('code').doNothing()).execute();
    },
    async deactivateCoupon(code) {
      await query.updateTable('sandbox_coupons').set({ is_active: 0 }).where('code', '=', code).execute();
    },
    async countRedemptions(code) {
      const row = query.selectFrom('sandbox_coupons').select('redemptions').where('code', '=', code);
      return (await row.executeTakeFirst())?.redemptions;
    },
    applyCoupon: (id, code, key) =>
      changeOnce(context, id, `coupon ${id} ${key}`, async (work, at, tx) => {
        const subscription = subscriptionOf(work);
        assertNotOver(subscription);
        subscription.discount = await redeemCoupon(tx, code, subscription.price.currency, at);
        recordEvent(work, 'customer.subscription.updated', at, id);
      }),

    async findInvoice(id) {
      const invoice = await findSandboxInvoice(query, id);
      return invoice && presentInvoice(context, invoice);
    },
    listInvoices: async (subscriptionId) =>
      (await listSandboxInvoices(query, subscriptionId)).map((invoice) => presentInvoice(context, invoice)),
    async createInvoice(customerId, { reference, currency, dueInDays, ...rest }) {
      const lines = linesOf({ currency, ...rest });
      const id = sandboxIdOf('in', reference);
      const fields = { id, subscriptionId: null, currency, couponCode: null, dueInDays } as const;
      const create = (work: Work, at: Timestamp) => {
        const known = work.invoices.find((one) => one.id === id);
        if (known !== undefined) return known;
        const draft = addDraft(work, { lines, discount: 0 }, at, { ...fields, collectionMethod: 'send' });
        recordEvent(work, 'invoice.created', at, id, draft);
        return draft;
      };
      return presentInvoice(context, await changeAccount(context, customerId, create, id));
    },
    async deleteDraft(id) {
      if ((await findSandboxInvoice(query, id)) === undefined) return;
      await changeInvoice(context, id, async (work, invoice, at, tx) => {
        if (invoice.status !== 'draft' || invoice.subscriptionId !== null) {
          throw refusal('Only the draft of a single invoice can be deleted. Void this invoice instead.');
        }
        work.invoices.splice(work.invoices.indexOf(invoice), 1);
        await tx.deleteFrom('sandbox_invoices').where('id', '=', id).execute();
        recordEvent(work, 'invoice.deleted', at, id, invoice);
      });
    },
    // An invoice with nothing to pay is paid at once; any other waits for a payment.
    finalizeInvoice: (id) =>
      changeInvoice(context, id, (work, invoice, at) => {
        if (invoice.status !== 'draft') return;
        finalizeInvoice(work, invoice, at);
        if (invoice.amountDue === 0) collect(work, invoice, at);
      }),
    refundInvoice: (id, refund) =>
      changeInvoice(context, id, (work, invoice, at) => refundPart(work, invoice, refund, at)),
    voidInvoice: (id) => changeInvoice(context, id, (work, invoice, at) => settleUnpaid(work, invoice, 'void', at)),
    markInvoiceUncollectible: (id) =>
      changeInvoice(context, id, (work, invoice, at) => settleUnpaid(work, invoice, 'uncollectible', at)),
    retryInvoice: (id) => paySandboxInvoice(context, id),
  };
}

function presentCheckout(context: SandboxContext, row: SandboxCheckoutsTable): ProviderCheckout {
  const { id, reference, status } = row;
  const url = status === 'open' ? checkoutUrl(context, id) : null;
  return { id, reference, status, url, customerId: row.customer_id, subscriptionId: row.subscription_id };
}

function presentInvoice(context: SandboxContext, invoice: SandboxInvoice): ProviderInvoice {
  const { dueInDays: _dueInDays, ...rest } = invoice;
  return { ...rest, paymentUrl: invoice.status === 'open' ? invoiceUrl(context, invoice.id) : null };
}

/**
 * Collects an open invoice, with a new card for the customer if one is given. Throws `declined`; a failed attempt with the
 * card on file is stored.
 */
export async function paySandboxInvoice(context: SandboxContext, id: string, card?: Card): Promise<void> {
  const pay = (work: Work, invoice: SandboxInvoice, at: Timestamp) => {
    if (card !== undefined) attachCard(work, card, at);
    return collect(work, invoice, at);
  };
  assertPaid(await changeInvoice(context, id, pay));
}

/**
 * Returns a unit of work that is not written, to see what a change would cost. Its card never fails; `card` is the
 * present one.
 */
async function rehearse({ platform, taxRules }: SandboxContext, subscriptionId: string) {
  const account = orThrow(await findAccount(platform.query, subscriptionId), () => notFound('subscription'));
  const work: Work = { account: { ...account, card: workingCard }, invoices: [], events: [], taxRules };
  return { work, card: account.card };
}

/** Returns the cost of what a rehearsal charged; nothing in a trial. */
function costOf(work: Work, at: Timestamp): CostPreview {
  const { amountDue = 0, discount = 0, tax = 0, lines = [] } = work.invoices.at(-1) ?? {};
  return { currency: subscriptionOf(work).price.currency, amountDue, discount, tax, at, lines };
}

/** Returns the lines of a single invoice. Throws `refused` for amounts that providers do not accept. */
function linesOf({ lines, currency }: Pick<NewInvoice, 'lines' | 'currency'>): SandboxInvoice['lines'] {
  const made = lines.map(({ description, quantity, unitAmount }) => {
    if (!Number.isSafeInteger(quantity) || quantity < 1) throw refusal('A quantity must be an integer above 0.');
    const amount = quantity * unitAmount;
    assertPrice({ amount: Math.abs(amount), currency });
    return { description, quantity, amount, periodStartsAt: null, periodEndsAt: null };
  });
  if (made.length === 0) throw refusal('An invoice needs a line. Add one.');
  assertPrice({ amount: Math.abs(sumOf(made)), currency });
  return made;
}
