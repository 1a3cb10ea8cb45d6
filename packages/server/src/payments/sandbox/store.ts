import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { PaymentProviderError } from '../provider.ts';
import { planClockWork, readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { writeEvents } from './events.ts';
import type { Account, SandboxInvoice, Work } from './state.ts';
import { nextDueAt, passTime } from './subscription.ts';

type Reads = Kysely<PlatformTables>;

/** Returns the error of an unknown id. */
export function notFound(what: 'customer' | 'subscription' | 'invoice'): PaymentProviderError {
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
  return row === undefined ? undefined : JSON.parse(row.state_json);
}

/**
 * Returns the account of a customer or a subscription as a unit of work, and locks it until the transaction ends;
 * undefined for an unknown id. The work has the invoice `invoiceId` in any status, if it is the account's.
 */
export async function lockAccount(
  tx: PlatformTransaction,
  { taxRules }: Pick<SandboxContext, 'taxRules'>,
  id: string,
  invoiceId?: string,
): Promise<Work | undefined> {
  const row = await forUpdate(tx, accountOf(tx, id)).executeTakeFirst();
  if (row === undefined) return undefined;
  const account: Account = JSON.parse(row.state_json);
  const invoices = await listOpenInvoices(tx, account.customerId);
  if (invoiceId !== undefined && !invoices.some((invoice) => invoice.id === invoiceId)) {
    const invoice = await findSandboxInvoice(tx, invoiceId);
    if (invoice?.customerId === account.customerId) invoices.push(invoice);
  }
  return { account, invoices, events: [], taxRules };
}

/** Returns the open invoices of a customer, the oldest first. */
export async function listOpenInvoices(db: Reads, customerId: string): Promise<SandboxInvoice[]> {
  const invoices = db.selectFrom('sandbox_invoices').select('state_json').where('customer_id', '=', customerId);
  const rows = await invoices.where('status', '=', 'open').execute();
  const open = rows.map(({ state_json }): SandboxInvoice => JSON.parse(state_json));
  return open.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** Returns the invoices of a subscription, the newest first, at most 100. */
export async function listSandboxInvoices(db: Reads, subscriptionId: string): Promise<SandboxInvoice[]> {
  const invoices = db.selectFrom('sandbox_invoices').select('state_json');
  const own = invoices.where('subscription_id', '=', subscriptionId);
  const rows = await own.orderBy('position', 'desc').limit(100).execute();
  return rows.map(({ state_json }): SandboxInvoice => JSON.parse(state_json));
}

/** Returns an invoice without a lock; undefined for an unknown id. */
export async function findSandboxInvoice(db: Reads, id: string): Promise<SandboxInvoice | undefined> {
  const row = await db.selectFrom('sandbox_invoices').select('state_json').where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : JSON.parse(row.state_json);
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

/** Stores the key of a request. Returns false when the request took effect before, so the caller must do nothing. */
async function isFirstRequest(tx: PlatformTransaction, created_at: Timestamp, key: string): Promise<boolean> {
  const insert = tx.insertInto('sandbox_requests').values({ key, created_at });
  const inserted = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

interface ChangeOptions {
  /** Repeated changes with this key take effect once. */
  readonly idempotencyKey?: string;
  /** An invoice of the account that the change is about, in any status. */
  readonly invoiceId?: string;
}

/**
 * Changes the account of a customer or a subscription under its lock, after every change that is due by the clock. When
 * `change` throws, nothing is written. Returns undefined for a request that took effect before.
 */
export async function changeAccount<Result>(
  context: SandboxContext,
  id: string,
  change: (work: Work, at: Timestamp, tx: PlatformTransaction) => Result | Promise<Result>,
  { idempotencyKey, invoiceId }: ChangeOptions = {},
): Promise<Result | undefined> {
  const result = await context.platform.transaction(async (tx) => {
    const at = await readNow(tx, context.clock);
    const work = await lockAccount(tx, context, id, invoiceId);
    if (work === undefined) throw notFound(id.startsWith('sub_') ? 'subscription' : 'customer');
    if (idempotencyKey !== undefined && !(await isFirstRequest(tx, context.clock.now(), idempotencyKey))) {
      return undefined;
    }
    while (passTime(work, at));
    const changed = await change(work, at, tx);
    await writeWork(tx, context, work);
    return changed;
  });
  context.kick();
  return result;
}

/** Changes an invoice in any status, or only in `status`, under the lock of its account. Throws `refused` otherwise. */
export async function changeInvoice<Result>(
  context: SandboxContext,
  id: string,
  change: (work: Work, invoice: SandboxInvoice, at: Timestamp) => Result,
  status?: 'open',
): Promise<Result> {
  const found = await findSandboxInvoice(context.platform.query, id);
  if (found === undefined) throw notFound('invoice');
  const changeIt = (work: Work, at: Timestamp) => {
    const invoice = work.invoices.find((one) => one.id === id);
    if (invoice === undefined) throw notFound('invoice');
    if (status !== undefined && invoice.status !== status) {
      throw new PaymentProviderError('refused', 'The invoice is not open. Reload to see its state.');
    }
    return { result: change(work, invoice, at) };
  };
  const changed = await changeAccount(context, found.customerId, changeIt, { invoiceId: id });
  if (changed === undefined) throw new Error('A change without an idempotency key has a result.');
  return changed.result;
}
