import {
  type PersonalData,
  personalRows,
  personalRowsMax,
  positionAfter,
} from '../../tenant-core/personal-data/personal-data.ts';

/** What the person began to buy. What became a tenant stays with it, and is bought by the id of nobody then. */
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
