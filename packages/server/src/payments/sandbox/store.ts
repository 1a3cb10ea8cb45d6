import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import { planClockWork } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { nextDueAt } from './due.ts';
import { writeEvents } from './events.ts';
import type { Account, CheckoutTerms, SandboxInvoice, SandboxSubscription, Work } from './state.ts';

/** Identifies an account by one of its two ids. */
export type AccountName = { readonly customer_id: string } | { readonly subscription_id: string };

/**
 * Returns an account as a unit of work, and locks it until the transaction ends; undefined for an unknown id. The work
 * has the invoice `invoiceId` in any status, if it is the account's.
 */
export async function lockAccount(
  tx: PlatformTransaction,
  { taxRules }: Pick<SandboxContext, 'taxRules'>,
  name: AccountName,
  invoiceId?: string,
): Promise<Work | undefined> {
  const accounts = tx.selectFrom('sandbox_accounts').selectAll();
  const named =
    'customer_id' in name
      ? accounts.where('customer_id', '=', name.customer_id)
      : accounts.where('subscription_id', '=', name.subscription_id);
  const row = await forUpdate(tx, named).executeTakeFirst();
  if (row === undefined) return undefined;
  const account = readAccount(row.state_json);
  const invoices = await listOpenInvoices(tx, account.customerId);
  if (invoiceId !== undefined && !invoices.some(({ id }) => id === invoiceId)) {
    const invoice = await findSandboxInvoice(tx, invoiceId);
    if (invoice?.customerId === account.customerId) invoices.push(invoice);
  }
  return { account, invoices, events: [], taxRules };
}

/** Returns the open invoices of a customer, the oldest first. */
export async function listOpenInvoices(db: Kysely<PlatformTables>, customerId: string): Promise<SandboxInvoice[]> {
  const rows = await db
    .selectFrom('sandbox_invoices')
    .select('state_json')
    .where('customer_id', '=', customerId)
    .where('status', '=', 'open')
    .execute();
  const invoices = rows.map(({ state_json }) => readInvoice(state_json));
  return invoices.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** Returns an account without a lock; undefined for an unknown id. */
export async function findAccount(db: Kysely<PlatformTables>, name: AccountName): Promise<Account | undefined> {
  const accounts = db.selectFrom('sandbox_accounts').select('state_json');
  const named =
    'customer_id' in name
      ? accounts.where('customer_id', '=', name.customer_id)
      : accounts.where('subscription_id', '=', name.subscription_id);
  const row = await named.executeTakeFirst();
  return row === undefined ? undefined : readAccount(row.state_json);
}

/** Returns the invoices of a subscription, the newest first, at most 100. */
export async function listSandboxInvoices(
  db: Kysely<PlatformTables>,
  subscriptionId: string,
): Promise<SandboxInvoice[]> {
  const rows = await db
    .selectFrom('sandbox_invoices')
    .select('state_json')
    .where('subscription_id', '=', subscriptionId)
    .orderBy('position', 'desc')
    .limit(100)
    .execute();
  return rows.map(({ state_json }) => readInvoice(state_json));
}

/** Returns an invoice without a lock; undefined for an unknown id. */
export async function findSandboxInvoice(db: Kysely<PlatformTables>, id: string): Promise<SandboxInvoice | undefined> {
  const row = await db.selectFrom('sandbox_invoices').select('state_json').where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : readInvoice(row.state_json);
}

/** Creates an account that has no subscription. Has no effect when it exists. */
export async function insertAccount(tx: PlatformTransaction, account: Account): Promise<void> {
  const { customerId: customer_id } = account;
  await tx
    .insertInto('sandbox_accounts')
    .values({ customer_id, subscription_id: customer_id, state_json: JSON.stringify(account), due_at: null })
    .onConflict((conflict) => conflict.column('customer_id').doNothing())
    .execute();
}

/** Writes a unit of work: the account, its invoices and its events. Enqueues the clock job for the next due time. */
export async function writeWork(tx: PlatformTransaction, context: SandboxContext, work: Work): Promise<void> {
  const { account, invoices, events } = work;
  const due_at = nextDueAt(work);
  const state_json = JSON.stringify(account);
  const { customerId: customer_id, subscription } = account;
  // A customer without a subscription has its own id there, which is the id of no subscription.
  const subscription_id = subscription?.id ?? customer_id;
  await tx
    .insertInto('sandbox_accounts')
    .values({ customer_id, subscription_id, state_json, due_at })
    .onConflict((conflict) => conflict.column('customer_id').doUpdateSet({ state_json, due_at }))
    .execute();
  for (const invoice of invoices) await writeInvoice(tx, invoice);
  await writeEvents(tx, context, events);
  await planClockWork(tx, context, due_at);
}

/** One statement per invoice: a unit of work has few invoices. */
async function writeInvoice(tx: PlatformTransaction, invoice: SandboxInvoice): Promise<void> {
  const { id, customerId: customer_id, status, createdAt } = invoice;
  const subscription_id = invoice.subscriptionId ?? customer_id;
  const state_json = JSON.stringify(invoice);
  await tx
    .insertInto('sandbox_invoices')
    .values({ id, customer_id, subscription_id, status, state_json, position: `${createdAt} ${id}` })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ status, state_json }))
    .execute();
}

/** Deletes an invoice, in a transaction that locked its account. */
export async function deleteInvoice(tx: PlatformTransaction, id: string): Promise<void> {
  await tx.deleteFrom('sandbox_invoices').where('id', '=', id).execute();
}

/** Stores the key of a request. Returns false when the request took effect before, so the caller must do nothing. */
export async function isFirstRequest(
  tx: PlatformTransaction,
  { clock }: Pick<SandboxContext, 'clock'>,
  key: string,
): Promise<boolean> {
  const row = { key, created_at: clock.now() };
  const inserted = await tx
    .insertInto('sandbox_requests')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

// Rows that an earlier version wrote lack the newer fields. They are read as if nothing of these features was used.

/** Returns the account of a row. */
function readAccount(stateJson: string): Account {
  const { subscription, ...account }: Account = JSON.parse(stateJson);
  return { ...account, details: account.details ?? null, subscription: subscription && withDefaults(subscription) };
}

function withDefaults(subscription: SandboxSubscription): SandboxSubscription {
  const { price, currentPeriodStartsAt: startsAt } = subscription;
  return {
    ...subscription,
    periodInterval: subscription.periodInterval ?? price.interval,
    periodCharge: subscription.periodCharge ?? { amount: price.amount, startsAt, rates: [] },
    periodNet: subscription.periodNet ?? price.amount,
    trialReminderAt: subscription.trialReminderAt ?? null,
    discount: subscription.discount ?? null,
  };
}

/** Returns the invoice of a row. */
function readInvoice(stateJson: string): SandboxInvoice {
  const defaults = {
    collectionMethod: 'charge',
    discount: 0,
    couponCode: null,
    taxes: [],
    creditNotes: [],
    dueInDays: 0,
  };
  return { ...defaults, ...JSON.parse(stateJson) };
}

/** Returns the terms of a checkout's row. */
export function readTerms(termsJson: string): CheckoutTerms {
  return { trialDays: 0, ...JSON.parse(termsJson) };
}
