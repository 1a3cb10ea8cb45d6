import type { CustomerDetails } from '../provider.ts';
import { changeAccount } from './accounts.ts';
import { assertPrice } from './amounts.ts';
import { type SandboxContext, sandboxIdOf } from './context.ts';
import { type Account, recordEvent } from './state.ts';
import { findAccount, insertAccount } from './store.ts';

/** Implements `createCustomer` of the provider. */
export async function createSandboxCustomer(
  { platform }: SandboxContext,
  tenantId: string,
  details: CustomerDetails,
): Promise<string> {
  const customerId = sandboxIdOf('cus', tenantId);
  const account: Account = { customerId, card: null, balance: {}, details, subscription: null };
  await platform.transaction((tx) => insertAccount(tx, account));
  return customerId;
}

/** Implements `findCustomerDetails` of the provider. */
export async function findSandboxCustomerDetails(
  { platform }: SandboxContext,
  customerId: string,
): Promise<CustomerDetails | undefined> {
  const account = await findAccount(platform.query, { customer_id: customerId });
  return account?.details ?? undefined;
}

/** Implements `updateCustomer` of the provider. The country and the tax id determine the taxes of later invoices. */
export async function updateSandboxCustomer(
  context: SandboxContext,
  customerId: string,
  details: CustomerDetails,
): Promise<void> {
  await changeAccount(context, { customer_id: customerId }, (work, at) => {
    work.account.details = details;
    recordEvent(work, 'customer.updated', customerId, at);
  });
}

/** Implements `addCredit` of the provider. */
export async function addSandboxCredit(
  context: SandboxContext,
  customerId: string,
  credit: { readonly amount: number; readonly currency: string },
  idempotencyKey: string,
): Promise<void> {
  assertPrice(credit);
  await changeAccount(
    context,
    { customer_id: customerId },
    (work, at) => {
      const { balance } = work.account;
      balance[credit.currency] = (balance[credit.currency] ?? 0) + credit.amount;
      recordEvent(work, 'customer.updated', customerId, at);
    },
    { idempotencyKey: `credit ${customerId} ${idempotencyKey}` },
  );
}
