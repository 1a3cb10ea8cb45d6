import { eraseMailTo, listMailTo } from '../../../mail/personal-mail.ts';
import { addressesOf, allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

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
