import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/onboarding.ts';
import { paginate } from '../../../http/cursor.ts';
import type { CheckoutsQuery } from './schemas.ts';

/** A user who may log in, kept from changing until the transaction ends: the user's checkouts take turns. */
export function lockUser(
  tx: PlatformTransaction,
  id: string,
): Promise<Pick<UsersTable, 'id' | 'email' | 'name'> | undefined> {
  const query = tx.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', id);
  return forUpdate(tx, query.where('disabled_at', 'is', null)).executeTakeFirst();
}

const openStatuses = ['pending', 'paid', 'provisioning'] as const;

/** How many checkouts of a user are not over, up to `most`. */
export async function countOpenCheckouts(tx: PlatformTransaction, userId: string, most: number): Promise<number> {
  let count = 0;
  for (const status of openStatuses) {
    const query = tx.selectFrom('onboarding_checkouts').select('id').where('user_id', '=', userId);
    count += (await query.where('status', '=', status).limit(most).execute()).length;
  }
  return count;
}

export async function createCheckoutRow(tx: PlatformTransaction, row: OnboardingCheckoutsTable): Promise<void> {
  await tx.insertInto('onboarding_checkouts').values(row).execute();
}

export function findCheckout({ query }: PlatformDb, id: string): Promise<OnboardingCheckoutsTable | undefined> {
  return query.selectFrom('onboarding_checkouts').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findOwnCheckout(
  { query }: PlatformDb,
  userId: string,
  id: string,
): Promise<OnboardingCheckoutsTable | undefined> {
  const own = query.selectFrom('onboarding_checkouts').selectAll().where('user_id', '=', userId);
  return own.where('id', '=', id).executeTakeFirst();
}

export function listOwnCheckouts(
  { query }: PlatformDb,
  userId: string,
  filters: CheckoutsQuery,
): Promise<OnboardingCheckoutsTable[]> {
  let own = query.selectFrom('onboarding_checkouts').selectAll().where('user_id', '=', userId);
  if (filters.status !== undefined) own = own.where('status', '=', filters.status);
  return paginate(own, filters).execute();
}

/** Reads a checkout and keeps others from changing it until the transaction ends. */
export function lockCheckout(tx: PlatformTransaction, id: string): Promise<OnboardingCheckoutsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('onboarding_checkouts').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function updateCheckout(
  tx: PlatformTransaction,
  id: string,
  changes: Partial<OnboardingCheckoutsTable>,
): Promise<void> {
  await tx.updateTable('onboarding_checkouts').set(changes).where('id', '=', id).execute();
}
