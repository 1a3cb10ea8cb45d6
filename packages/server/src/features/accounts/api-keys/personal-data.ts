import {
  type PersonalData,
  personalRows,
  personalRowsMax,
  positionAfter,
} from '../../tenant-core/personal-data/personal-data.ts';

/**
 * API keys that the person created. They belong to the tenant, so the erasure keeps them. Their `created_by_id` then
 * refers to no user.
 */
export const apiKeysPersonalData: PersonalData = {
  section: 'api_keys',
  tables: ['api_keys'],
  async read({ platform }, { id }, after) {
    const keys = platform.query
      .selectFrom('api_keys')
      .select(['id', 'tenant_id', 'name', 'hint', 'status', 'created_at', 'last_used_at'])
      .where('created_by_id', '=', id)
      .where('created_by_type', '=', 'user')
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(...positionAfter(after))))
      .orderBy('created_at')
      .orderBy('id')
      .limit(personalRowsMax);
    return personalRows(await keys.execute(), (row) => row.created_at);
  },
  async erase() {},
};
