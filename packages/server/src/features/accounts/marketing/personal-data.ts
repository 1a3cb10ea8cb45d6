import { newId } from '../../../lib/ids.ts';
import { addressesOf, allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';
import { insertWithdrawal } from './queries.ts';

/**
 * The person's subscriptions to the news, of every address. The erasure withdraws the consent. The proof of the consent
 * and its withdrawal stays, under a keyed hash of the address.
 */
export const marketingPersonalData: PersonalData = {
  section: 'marketing',
  tables: ['marketing_subscribers', 'marketing_withdrawals'],
  async read({ platform }, person) {
    const subscribers = platform.query
      .selectFrom('marketing_subscribers')
      .select(['id', 'email', 'requested_at', 'confirmed_at'])
      .where('email', 'in', addressesOf(person));
    return allPersonalRows(await subscribers.execute());
  },
  async eraseBefore({ clock, keyring, platform }, person) {
    await platform.transaction(async (tx) => {
      const gone = await tx
        .deleteFrom('marketing_subscribers')
        .where('email', 'in', addressesOf(person))
        .returning(['email', 'confirmed_at', 'unsubscribe_token_hash'])
        .execute();
      for (const { email, confirmed_at: consented_at, unsubscribe_token_hash } of gone) {
        if (consented_at === null) continue;
        const proof = { email_hash: keyring.hash(email), consented_at, unsubscribe_token_hash };
        await insertWithdrawal(tx, { id: newId(), ...proof, withdrawn_at: clock.now() });
      }
    });
  },
  async erase() {},
};
