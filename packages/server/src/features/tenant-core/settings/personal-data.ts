import { addressesOf, allPersonalRows, type Person, type TenantPersonalData } from '../personal-data/personal-data.ts';
import { lockSettings, updateSettingsRow } from './service.ts';

/** The person's email address in the settings of a tenant. */
export const settingsPersonalData: TenantPersonalData = {
  record: 'settings',
  async read({ query }, person) {
    const row = await query
      .selectFrom('settings')
      .select(['support_email', 'notification_emails_json'])
      .executeTakeFirstOrThrow();
    const addresses: string[] = JSON.parse(row.notification_emails_json);
    const places = [
      ...(isOf(row.support_email, person) ? [{ field: 'support_email' }] : []),
      ...(addresses.some((address) => isOf(address, person)) ? [{ field: 'notification_emails' }] : []),
    ];
    return allPersonalRows(places);
  },
  erase: (db, person) =>
    db.transaction(async (tx) => {
      const row = await lockSettings(tx);
      const addresses: string[] = JSON.parse(row.notification_emails_json);
      const kept = addresses.filter((address) => !isOf(address, person));
      const isSupport = isOf(row.support_email, person);
      if (!isSupport && kept.length === addresses.length) return false;
      const support_email = isSupport ? null : row.support_email;
      await updateSettingsRow(tx, { ...row, support_email, notification_emails_json: JSON.stringify(kept) });
      return true;
    }),
};

function isOf(address: string | null, person: Person): boolean {
  return address !== null && addressesOf(person).includes(address.trim().toLowerCase());
}
