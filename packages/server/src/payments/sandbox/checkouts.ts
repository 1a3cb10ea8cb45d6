import { timingSafeEqual } from 'node:crypto';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { SandboxCheckoutsTable } from '../../db/tables/platform/payments.ts';
import { type Timestamp, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { type CustomerDetails, type NewCheckout, PaymentProviderError, type ProviderCheckout } from '../provider.ts';
import { assertPrice } from './amounts.ts';
import type { Card } from './cards.ts';
import { planClockWork, readNow } from './clock.ts';
import { newSandboxId, type SandboxContext } from './context.ts';
import { redeemCoupon } from './coupons.ts';
import { passTime } from './due.ts';
import { writeEvents } from './events.ts';
import { openAccount } from './purchase.ts';
import { type CheckoutTerms, subscriptionOf } from './state.ts';
import { readTerms, writeWork } from './store.ts';

const openForDays = 1;

/** The fields of a checkout that its page shows. */
export interface OpenCheckout {
  readonly status: SandboxCheckoutsTable['status'];
  readonly terms: CheckoutTerms;
}

/** What a customer enters on the page of a checkout. */
export interface CheckoutInput {
  /** Null when nothing is due now. */
  readonly card: Card | null;
  /** The code of a coupon in upper case, or null. */
  readonly coupon: string | null;
  /** The recipient of the invoices, which determines the taxes. */
  readonly details: CustomerDetails | null;
}

/** Implements `createCheckout` of the provider. The customer's name and email address are not stored. */
export async function createSandboxCheckout(
  context: SandboxContext,
  { reference, customer: _customer, ...terms }: NewCheckout,
): Promise<ProviderCheckout> {
  assertPrice(terms.price);
  const row = await context.platform.transaction(async (tx) => {
    const at = await readNow(tx, context.clock);
    const due_at = addDays(at, openForDays);
    const checkout: SandboxCheckoutsTable = {
      id: newSandboxId('cs'),
      reference,
      status: 'open',
      terms_json: JSON.stringify(terms),
      customer_id: null,
      subscription_id: null,
      created_at: at,
      due_at,
    };
    await tx
      .insertInto('sandbox_checkouts')
      .values(checkout)
      .onConflict((conflict) => conflict.column('reference').doNothing())
      .execute();
    await planClockWork(tx, context, due_at);
    const query = tx.selectFrom('sandbox_checkouts').selectAll().where('reference', '=', reference);
    return query.executeTakeFirstOrThrow();
  });
  return present(context, row);
}

function present(context: SandboxContext, row: SandboxCheckoutsTable): ProviderCheckout {
  const { id, reference, status } = row;
  const url = status === 'open' ? checkoutUrl(context, id) : null;
  return { id, reference, status, url, customerId: row.customer_id, subscriptionId: row.subscription_id };
}

/** Implements `findCheckout` of the provider. */
export async function findSandboxCheckout(context: SandboxContext, id: string): Promise<ProviderCheckout | undefined> {
  const query = context.platform.query.selectFrom('sandbox_checkouts').selectAll().where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : present(context, row);
}

/** Returns the checkout for its page, in any status; undefined for an unknown id. */
export async function findOpenCheckout(context: SandboxContext, id: string): Promise<OpenCheckout | undefined> {
  const query = context.platform.query.selectFrom('sandbox_checkouts').selectAll().where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : { status: row.status, terms: readTerms(row.terms_json) };
}

async function lockCheckout(tx: PlatformTransaction, id: string): Promise<SandboxCheckoutsTable> {
  const query = tx.selectFrom('sandbox_checkouts').selectAll().where('id', '=', id);
  const row = await forUpdate(tx, query).executeTakeFirst();
  if (row === undefined)
    throw new PaymentProviderError('not_found', 'The sandbox has no such checkout. Start a new one.');
  return row;
}

/**
 * Pays a checkout, or starts its trial. Idempotent. Returns the URL to which the customer is redirected. Throws
 * `declined` when the card fails or lacks, `CouponRefusedError`, and `refused` when the checkout has expired.
 */
export async function payCheckout(context: SandboxContext, id: string, input: CheckoutInput): Promise<string> {
  const successUrl = await context.platform.transaction(async (tx) => {
    const at = await readNow(tx, context.clock);
    const checkout = await lockCheckout(tx, id);
    const terms = readTerms(checkout.terms_json);
    if (checkout.status === 'complete') return terms.successUrl;
    if (checkout.status === 'expired' || (checkout.due_at ?? at) <= at) {
      throw new PaymentProviderError('refused', 'This checkout has expired. Start a new one.');
    }
    const { price, trialDays } = terms;
    const { card, coupon, details } = input;
    const discount = coupon === null ? null : await redeemCoupon(tx, coupon, price.currency, at);
    const { reference } = checkout;
    const { taxRules } = context;
    const work = openAccount({ reference, price, trialDays, card, details, discount, taxRules }, at);
    const ids = { customer_id: work.account.customerId, subscription_id: subscriptionOf(work).id };
    const event = { objectId: id, at, subscriptionId: ids.subscription_id, reference, invoiceId: null };
    // The reminder of a short trial is due at once.
    while (passTime(work, at));
    await writeWork(tx, context, work);
    await closeCheckout(tx, id, { ...ids, status: 'complete' });
    await writeEvents(tx, context, [{ ...event, type: 'checkout.session.completed' }]);
    return terms.successUrl;
  });
  context.kick();
  return successUrl;
}

function closeCheckout(tx: PlatformTransaction, id: string, changes: Partial<SandboxCheckoutsTable>) {
  return tx
    .updateTable('sandbox_checkouts')
    .set({ ...changes, due_at: null })
    .where('id', '=', id)
    .execute();
}

/** Expires an open checkout; with `dueBy` only if it is due by that time. Has no effect on a checkout that is over. */
export async function expireSandboxCheckout(
  context: SandboxContext,
  id: string,
  dueBy: Timestamp | null = null,
): Promise<void> {
  await context.platform.transaction(async (tx) => {
    const { status, reference, due_at } = await lockCheckout(tx, id);
    if (status !== 'open' || (dueBy !== null && (due_at ?? dueBy) > dueBy)) return;
    await closeCheckout(tx, id, { status: 'expired' });
    const at = dueBy ?? (await readNow(tx, context.clock));
    const event = { objectId: id, at, subscriptionId: null, reference, invoiceId: null };
    await writeEvents(tx, context, [{ ...event, type: 'checkout.session.expired' }]);
  });
  context.kick();
}

type Links = Pick<SandboxContext, 'publicUrl' | 'keyring' | 'clock'>;

const portalOpenForMs = 3_600_000;
/** Maximum length of a path segment that the router accepts. */
const tokenMaxLength = 500;
const tokenLength = 32;

/** Returns the URL of a checkout's page. The id is random, so the URL needs no other protection. */
function checkoutUrl({ publicUrl }: Pick<Links, 'publicUrl'>, id: string): string {
  return `${publicUrl}/sandbox/checkout/${id}`;
}

function textOf(invoiceId: string): string {
  return `licensing/sandbox-invoice/v1 ${invoiceId}`;
}

/** Returns the URL on which an invoice is paid without a login. Invoice ids are not secret, so the URL has a token. */
export function invoiceUrl({ publicUrl, keyring }: Links, invoiceId: string): string {
  return `${publicUrl}/sandbox/invoices/${invoiceId}/${keyring.hash(textOf(invoiceId)).slice(0, tokenLength)}`;
}

/**
 * Returns true for the token of an invoice's page under the application key or a previous one. Compares in constant
 * time.
 */
export function isInvoiceToken({ keyring }: Links, invoiceId: string, token: string): boolean {
  const text = textOf(invoiceId);
  const known = [keyring.hash(text), ...keyring.previousHashes(text)].map((hash) => hash.slice(0, tokenLength));
  const given = Buffer.from(token);
  return given.length === tokenLength && known.some((one) => timingSafeEqual(Buffer.from(one), given));
}

/** The customer of a portal page, and the URL to which the page links back. */
export interface PortalSession {
  readonly customerId: string;
  readonly returnUrl: string;
}

/**
 * Returns the URL of a customer's portal page. It is valid for one hour. Throws `refused` for a return URL that is too
 * long.
 */
export function portalUrl({ publicUrl, keyring, clock }: Links, { customerId, returnUrl }: PortalSession): string {
  const token = keyring.seal(JSON.stringify([customerId, returnUrl, toTimestamp(clock.nowMs() + portalOpenForMs)]));
  if (token.length > tokenMaxLength)
    throw new PaymentProviderError('refused', 'The return URL is too long. Shorten it.');
  return `${publicUrl}/sandbox/portal/${token}`;
}

/** Returns the session of a portal token; undefined for an invalid or expired token. */
export function readPortalToken({ keyring, clock }: Links, token: string): PortalSession | undefined {
  try {
    const [customerId, returnUrl, endsAt] = JSON.parse(keyring.open(token)) as [string, string, string];
    return endsAt > clock.now() ? { customerId, returnUrl } : undefined;
  } catch {
    return undefined;
  }
}
