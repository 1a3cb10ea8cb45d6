import {
  type PersonalData,
  personalRows,
  personalRowsMax,
  positionAfter,
} from '../../tenant-core/personal-data/personal-data.ts';

/**
 * Access tokens that the person created. They belong to the tenant, so the erasure keeps them. Their `created_by_id`
 * then refers to no user.
 */
export const accessTokensPersonalData: PersonalData = {
  section: 'access_tokens',
  tables: ['tenant_access_tokens'],
  async read({ platform }, { id }, after) {
    const tokens = platform.query
      .selectFrom('tenant_access_tokens')
      .select(['id', 'tenant_id', 'name', 'hint', 'role', 'status', 'created_at', 'expires_at', 'last_used_at'])
      .where('created_by_id', '=', id)
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(...positionAfter(after))))
      .orderBy('created_at')
      .orderBy('id')
      .limit(personalRowsMax);
    return personalRows(await tokens.execute(), (row) => row.created_at);
  },
  async erase() {},
};
