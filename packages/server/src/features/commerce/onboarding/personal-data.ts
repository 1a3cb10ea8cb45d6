import {
  type PersonalData,
  personalRows,
  personalRowsMax,
  positionAfter,
} from '../../tenant-core/personal-data/personal-data.ts';

/**
 * A person's checkouts. A checkout that has created a tenant stays with the tenant after the erasure; its user id then
 * refers to no user.
 */
export const checkoutsPersonalData: PersonalData = {
  section: 'checkouts',
  tables: ['onboarding_checkouts'],
  async read({ platform }, { id }, after) {
    const checkouts = platform.query
      .selectFrom('onboarding_checkouts')
      .select(['id', 'plan_code', 'interval', 'currency', 'amount', 'tenant_name', 'status', 'created_at'])
      .where('user_id', '=', id)
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(...positionAfter(after))))
      .orderBy('created_at')
      .orderBy('id')
      .limit(personalRowsMax);
    return personalRows(await checkouts.execute(), (row) => row.created_at);
  },
  async erase(tx, { id }) {
    await tx
      .deleteFrom('onboarding_checkouts')
      .where('user_id', '=', id)
      .where('status', 'in', ['pending', 'failed', 'expired', 'canceled'])
      .execute();
  },
};
