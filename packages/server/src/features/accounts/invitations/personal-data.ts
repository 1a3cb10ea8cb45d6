import { addressesOf, allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/**
 * Invitations to tenants that were sent to the person's addresses, accepted or not. Invitations of admins are not
 * included, because an admin is another account.
 */
export const invitationsPersonalData: PersonalData = {
  section: 'invitations',
  tables: ['invitations'],
  async read({ platform }, person) {
    const invitations = platform.query
      .selectFrom('invitations')
      .select(['id', 'tenant_id', 'email', 'role', 'created_at', 'expires_at', 'accepted_at'])
      .where('email', 'in', addressesOf(person))
      .where('kind', '=', 'tenant')
      .orderBy('created_at');
    return allPersonalRows(await invitations.execute());
  },
  async erase(tx, person) {
    await tx.deleteFrom('invitations').where('email', 'in', addressesOf(person)).where('kind', '=', 'tenant').execute();
  },
};
