import { eraseMailTo, listMailTo } from '../../../mail/personal-mail.ts';
import { allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/** Mail to the person that waits, could not be sent, or was put into files instead of being sent. */
export const mailPersonalData: PersonalData = {
  section: 'mails',
  tables: ['mails', 'dead_mails'],
  read: async (services, { email }) => allPersonalRows(await listMailTo(services, email)),
  eraseBefore: (services, { email }) => eraseMailTo(services, email),
  async erase() {},
};
