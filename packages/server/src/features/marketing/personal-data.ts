import { allPersonalRows, type PersonalData } from '../account/personal-data.ts';

/**
 * Consent to news. Of consent that was withdrawn there is a keyed hash, which proves it to who asks with the address and
 * tells nobody the address: it stays.
 */
export const marketingPersonalData: PersonalData = {
  section: 'news',
  tables: ['marketing_subscribers', 'marketing_withdrawals'],
  async read({ platform }, { email }) {
    const subscriptions = platform.query
      .selectFrom('marketing_subscribers')
      .select(['id', 'email', 'requested_at', 'confirmed_at'])
      .where('email', '=', email);
    return allPersonalRows(await subscriptions.execute());
  },
  async erase(tx, { email }) {
    await tx.deleteFrom('marketing_subscribers').where('email', '=', email).execute();
  },
};
