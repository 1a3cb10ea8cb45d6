import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { orThrow } from '../../lib/error.ts';
import { PaymentProviderError } from '../provider.ts';
import { planClockWork, readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { writeEvents } from './events.ts';
import type { Account, SandboxInvoice, Work } from './state.ts';
import { nextDueAt, passTime } from './subscription.ts';

type Reads = Kysely<PlatformTables>;

/** Returns the error of an unknown id. */
export function notFound(what: 'checkout' | 'customer' | 'subscription' | 'invoice'): PaymentProviderError {
  return new PaymentProviderError('not_found', `The sandbox has no such ${what}. Reload, then try again.`);
}

/** `id`: that of the customer or of the subscription. */
function accountOf(db: Reads, id: string) {
  const column = id.startsWith('sub_') ? 'subscription_id' : 'customer_id';
  return db.selectFrom('sandbox_accounts').select('state_json').where(column, '=', id);
}

/** Returns the account of a customer or a subscription without a lock; undefined for an unknown id. */
export async function findAccount(db: Reads, id: string): Promise<Account | undefined> {
  const row = await accountOf(db, id).executeTakeFirst();
  return row && JSON.parse(row.state_json);
}

const invoicesOf = (db: Reads) => db.selectFrom('sandbox_invoices').select('state_json');
const readInvoice = (row: { readonly state_json: string }): SandboxInvoice => JSON.parse(row.state_json);

/** Returns the open invoices of a customer, the oldest first. */
export async function listOpenInvoices(db: Reads, customerId: string): Promise<SandboxInvoice[]> {
  const open = invoicesOf(db).where('customer_id', '=', customerId).where('status', '=', 'open');
  const invoices = (await open.execute()).map(readInvoice);
  return invoices.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** Returns the invoices of a subscription, the newest first, at most 100. */
export async function listSandboxInvoices(db: Reads, subscriptionId: string): Promise<SandboxInvoice[]> {
  const own = invoicesOf(db).where('subscription_id', '=', subscriptionId);
  return (await own.orderBy('position', 'desc').limit(100).execute()).map(readInvoice);
}

/** Returns an invoice without a lock; undefined for an unknown id. */
export async function findSandboxInvoice(db: Reads, id: string): Promise<SandboxInvoice | undefined> {
  const row = await invoicesOf(db).where('id', '=', id).executeTakeFirst();
  return row && readInvoice(row);
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
  // One statement per invoice: a unit of work has few invoices.
  for (const invoice of invoices) {
    const { id, status, createdAt } = invoice;
    const own = { customer_id, subscription_id: invoice.subscriptionId ?? customer_id };
    const shown = { status, state_json: JSON.stringify(invoice) };
    await tx
      .insertInto('sandbox_invoices')
      .values({ id, ...own, ...shown, position: `${createdAt} ${id}` })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(shown))
      .execute();
  }
  await writeEvents(tx, context, events);
  await planClockWork(tx, context, due_at);
}

type Change<Result> = (work: Work, at: Timestamp, tx: PlatformTransaction) => Result | Promise<Result>;

/**
 * Changes the account of a customer or a subscription under its lock, after every change that is due by the clock. The
 * work has the invoice `invoiceId` in any status, if it is the account's. When `change` throws, nothing is written.
 */
export async function changeAccount<Result>(
  context: SandboxContext,
  id: string,
  change: Change<Result>,
  invoiceId?: string,
): Promise<Result> {
  const { platform, clock, taxRules, kick } = context;
  const result = await platform.transaction(async (tx) => {
    const at = await readNow(tx, clock);
    const row = await forUpdate(tx, accountOf(tx, id)).executeTakeFirst();
    if (row === undefined) throw notFound(id.startsWith('sub_') ? 'subscription' : 'customer');
    const account: Account = JSON.parse(row.state_json);
    const work: Work = { account, invoices: await listOpenInvoices(tx, account.customerId), events: [], taxRules };
    if (invoiceId !== undefined && !work.invoices.some((invoice) => invoice.id === invoiceId)) {
      const invoice = await findSandboxInvoice(tx, invoiceId);
      if (invoice?.customerId === account.customerId) work.invoices.push(invoice);
    }
    passTime(work, at);
    const changed = await change(work, at, tx);
    await writeWork(tx, context, work);
    return changed;
  });
  kick();
  return result;
}

/** Changes an account once, however often it is called with the key. */
export function changeOnce(context: SandboxContext, id: string, key: string, change: Change<void>): Promise<void> {
  return changeAccount(context, id, async (work, at, tx) => {
    const request = { key, created_at: context.clock.now() };
    const insert = tx.insertInto('sandbox_requests').values(request);
    const inserted = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
    if ((inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) await change(work, at, tx);
  });
}

/** Changes an invoice under the lock of its account. */
export async function changeInvoice<Result>(
  context: SandboxContext,
  id: string,
  change: (work: Work, invoice: SandboxInvoice, at: Timestamp, tx: PlatformTransaction) => Result | Promise<Result>,
): Promise<Result> {
  const found = orThrow(await findSandboxInvoice(context.platform.query, id), () => notFound('invoice'));
  const changeIt: Change<Result> = (work, at, tx) => {
    const invoice = orThrow(
      work.invoices.find((one) => one.id === id),
      () => notFound('invoice'),
    );
    return change(work, invoice, at, tx);
  };
  return await changeAccount(context, found.customerId, changeIt, id);
}
