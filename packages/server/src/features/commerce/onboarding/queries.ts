import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/payments.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import type { CheckoutsQuery } from './schemas.ts';

/**
 * Returns a user who is not disabled, and locks the row until the transaction ends. It serializes the user's checkouts.
 */
export function lockUser(
  tx: PlatformTransaction,
  id: string,
): Promise<Pick<UsersTable, 'id' | 'email' | 'name'> | undefined> {
  const query = tx.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', id);
  return forUpdate(tx, query.where('disabled_at', 'is', null)).executeTakeFirst();
}

const openStatuses = ['pending', 'paid', 'provisioning'] as const;

/** Counts a user's checkouts that are not over, up to `most` per status. */
export async function countOpenCheckouts(tx: PlatformTransaction, userId: string, most: number): Promise<number> {
  let count = 0;
  for (const status of openStatuses) {
    const query = tx.selectFrom('onboarding_checkouts').select('id').where('user_id', '=', userId);
    count += (await query.where('status', '=', status).limit(most).execute()).length;
  }
  return count;
}

/**
 * Counts the live tenants on plans without a price that a user owns and that are not closed, and the user's free checkouts
 * whose tenant does not exist yet, each up to `most`.
 */
export async function countFreeTenants(tx: PlatformTransaction, userId: string, most: number): Promise<number> {
  const owned = tx
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .innerJoin('plans', 'plans.code', 'tenants.plan_code')
    .select('tenants.id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('tenants.status', '!=', 'closed')
    .where('tenants.live_tenant_id', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('plan_prices')
            .select('plan_prices.plan_id')
            .whereRef('plan_prices.plan_id', '=', 'plans.id')
            .where('plan_prices.amount', '>', 0),
        ),
      ),
    );
  const coming = tx
    .selectFrom('onboarding_checkouts')
    .leftJoin('tenants', 'tenants.id', 'onboarding_checkouts.tenant_id')
    .select('onboarding_checkouts.id')
    .where('onboarding_checkouts.user_id', '=', userId)
    .where('onboarding_checkouts.status', '=', 'provisioning')
    .where('onboarding_checkouts.amount', '=', 0)
    .where('tenants.id', 'is', null);
  return (await owned.limit(most).execute()).length + (await coming.limit(most).execute()).length;
}

/** Returns whether a checkout of a user with a trial has been completed at the provider, and was not withdrawn. */
export async function hasPaidTrial(tx: PlatformTransaction, userId: string): Promise<boolean> {
  const trials = tx
    .selectFrom('onboarding_checkouts')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', ['paid', 'provisioning', 'completed'])
    .where('trial_days', '>', 0);
  return (await trials.limit(1).executeTakeFirst()) !== undefined;
}

/** Returns a checkout of the given user. */
export function findOwnCheckout(
  db: PlatformDb['query'] | PlatformTransaction,
  userId: string,
  id: string,
): Promise<OnboardingCheckoutsTable | undefined> {
  const own = db.selectFrom('onboarding_checkouts').selectAll().where('user_id', '=', userId);
  return own.where('id', '=', id).executeTakeFirst();
}

/** Returns one page of a user's checkouts, with one row more than the page when there are more. */
export function listOwnCheckouts(
  { query }: PlatformDb,
  userId: string,
  filters: CheckoutsQuery,
): Promise<OnboardingCheckoutsTable[]> {
  let own = query.selectFrom('onboarding_checkouts').selectAll().where('user_id', '=', userId);
  if (filters.status !== undefined) own = own.where('status', '=', filters.status);
  return paginate(own, filters).execute();
}

/** Changes columns of a checkout. */
export async function updateCheckout(
  tx: PlatformTransaction,
  id: string,
  changes: Partial<OnboardingCheckoutsTable>,
): Promise<void> {
  await tx.updateTable('onboarding_checkouts').set(changes).where('id', '=', id).execute();
}

/** The passwords of the PostgreSQL roles of tenants whose database is being created. */
export const sealedPlacements: SealedColumn<PlatformTables> = {
  table: 'onboarding_checkouts',
  column: 'placement_json',
  key: ['id'],
  member: 'database_secret',
  what: 'database passwords of tenants that are being created',
};
