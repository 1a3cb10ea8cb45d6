import { deleteRows } from '../../../db/rows.ts';
import { allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/** The user's identities at providers of single sign-on. */
export const identitiesPersonalData: PersonalData = {
  section: 'identities',
  tables: ['user_identities', 'sign_on_codes'],
  async read({ platform }, { id }) {
    const identities = platform.query
      .selectFrom('user_identities')
      .select(['id', 'issuer', 'subject', 'email', 'linked_at', 'last_used_at'])
      .where('user_id', '=', id)
      .orderBy('linked_at');
    return allPersonalRows(await identities.execute());
  },
  async erase(tx, { id }) {
    await deleteRows(tx, 'sign_on_codes', { ability: 'tenant', subject_id: id });
    await tx.deleteFrom('user_identities').where('user_id', '=', id).execute();
  },
};
