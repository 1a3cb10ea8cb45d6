import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import { planClockWork } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { writeEvents } from './events.ts';
import type { Account, SandboxInvoice, Work } from './state.ts';
import { nextDueAt } from './subscription.ts';

/** Identifies an account by one of its two ids. */
export type AccountName = { readonly customer_id: string } | { readonly subscription_id: string };

/** Returns an account as a unit of work, and locks it until the transaction ends; undefined for an unknown id. */
export async function lockAccount(tx: PlatformTransaction, name: AccountName): Promise<Work | undefined> {
  const accounts = tx.selectFrom('sandbox_accounts').selectAll();
  const named =
    'customer_id' in name
      ? accounts.where('customer_id', '=', name.customer_id)
      : accounts.where('subscription_id', '=', name.subscription_id);
  const row = await forUpdate(tx, named).executeTakeFirst();
  if (row === undefined) return undefined;
  const account: Account = JSON.parse(row.state_json);
  return { account, invoices: await listOpenInvoices(tx, account.customerId), events: [] };
}

/** Returns the open invoices of a customer, the oldest first. */
export async function listOpenInvoices(db: Kysely<PlatformTables>, customerId: string): Promise<SandboxInvoice[]> {
  const rows = await db
    .selectFrom('sandbox_invoices')
    .select('state_json')
    .where('customer_id', '=', customerId)
    .where('status', '=', 'open')
    .execute();
  const invoices = rows.map(({ state_json }): SandboxInvoice => JSON.parse(state_json));
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
  return row === undefined ? undefined : JSON.parse(row.state_json);
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
  return rows.map(({ state_json }) => JSON.parse(state_json));
}

/** Returns an invoice without a lock; undefined for an unknown id. */
export async function findSandboxInvoice(db: Kysely<PlatformTables>, id: string): Promise<SandboxInvoice | undefined> {
  const row = await db.selectFrom('sandbox_invoices').select('state_json').where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : JSON.parse(row.state_json);
}

/** Writes a unit of work: the account, its invoices and its events. Enqueues the clock job for the next due time. */
export async function writeWork(tx: PlatformTransaction, context: SandboxContext, work: Work): Promise<void> {
  const { account, invoices, events } = work;
  const due_at = nextDueAt(work);
  const state_json = JSON.stringify(account);
  const ids = { customer_id: account.customerId, subscription_id: account.subscription.id };
  await tx
    .insertInto('sandbox_accounts')
    .values({ ...ids, state_json, due_at })
    .onConflict((conflict) => conflict.column('customer_id').doUpdateSet({ state_json, due_at }))
    .execute();
  for (const invoice of invoices) await writeInvoice(tx, ids, invoice);
  await writeEvents(tx, context, events);
  await planClockWork(tx, context, due_at);
}

/** One statement per invoice: a unit of work has few invoices. */
async function writeInvoice(
  tx: PlatformTransaction,
  ids: { readonly customer_id: string; readonly subscription_id: string },
  invoice: SandboxInvoice,
): Promise<void> {
  const { id, status, createdAt } = invoice;
  const state_json = JSON.stringify(invoice);
  await tx
    .insertInto('sandbox_invoices')
    .values({ id, ...ids, status, state_json, position: `${createdAt} ${id}` })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ status, state_json }))
    .execute();
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
