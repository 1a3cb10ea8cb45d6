import { newId } from '../../../lib/ids.ts';
import { allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';
import { insertWithdrawal } from './queries.ts';

/**
 * The person's subscription to the news. The erasure withdraws the consent. The proof that the consent existed and was
 * withdrawn stays, under a keyed hash of the address.
 */
export const marketingPersonalData: PersonalData = {
  section: 'marketing',
  tables: ['marketing_subscribers', 'marketing_withdrawals'],
  async read({ platform }, { email }) {
    const subscribers = platform.query
      .selectFrom('marketing_subscribers')
      .select(['id', 'email', 'requested_at', 'confirmed_at'])
      .where('email', '=', email);
    return allPersonalRows(await subscribers.execute());
  },
  async eraseBefore({ clock, keyring, platform }, { email }) {
    await platform.transaction(async (tx) => {
      const gone = await tx
        .deleteFrom('marketing_subscribers')
        .where('email', '=', email)
        .returning(['email', 'confirmed_at', 'unsubscribe_token_hash'])
        .executeTakeFirst();
      if (gone === undefined || gone.confirmed_at === null) return;
      const { confirmed_at: consented_at, unsubscribe_token_hash } = gone;
      const proof = { email_hash: keyring.hash(gone.email), consented_at, unsubscribe_token_hash };
      await insertWithdrawal(tx, { id: newId(), ...proof, withdrawn_at: clock.now() });
    });
  },
  async erase() {},
};
