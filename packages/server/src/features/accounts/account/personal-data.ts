import { eraseMailTo, listMailTo } from '../../../mail/stored-mail.ts';
import { addressesOf, allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/** The person's data exports and the scheduled deletion of the account. */
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
    // The deletion row is removed as the last step of the erasure, because it drives it. It holds only the user's id.
    await tx.deleteFrom('account_exports').where('user_id', '=', id).execute();
  },
};

/** Mails to the person that are queued, could not be sent, or were written to files instead of being sent. */
export const mailPersonalData: PersonalData = {
  section: 'mails',
  tables: ['mails', 'dead_mails'],
  read: async (services, { email }) => allPersonalRows(await listMailTo(services, email)),
  async eraseBefore(services, person) {
    for (const address of addressesOf(person)) await eraseMailTo(services, address);
  },
  async erase() {},
};
