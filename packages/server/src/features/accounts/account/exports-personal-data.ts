import { allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/** Files of this very kind, and the wish to be forgotten. */
export const exportsPersonalData: PersonalData = {
  section: 'exports',
  tables: ['account_exports', 'account_export_parts', 'account_deletions'],
  async read({ platform }, { id }) {
    const exports = platform.query
      .selectFrom('account_exports')
      .select(['id', 'status', 'created_at', 'expires_at'])
      .where('user_id', '=', id)
      .orderBy('created_at');
    return allPersonalRows(await exports.execute());
  },
  async erase(tx, { id }) {
    // The wish itself is removed at the very end: it knows nothing but the id.
    await tx.deleteFrom('account_exports').where('user_id', '=', id).execute();
  },
};
