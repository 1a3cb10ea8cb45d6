import type { HolderMail, MailLanguage, MailType } from '../../api/holder-mails.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';

/** What each type of mail is called, and when it is sent. */
export const mailTypes: Readonly<Record<MailType, { readonly label: string; readonly when: string }>> = {
  'license.issued': { label: 'License issued', when: 'A license is created. The mail has its key.' },
  'license.key_replaced': {
    label: 'Key replaced',
    when: 'The key of a license is replaced. The mail has the new key.',
  },
  'license.renewed': { label: 'License renewed', when: 'The end of a license moves to a later day.' },
  'license.expiring': { label: 'License ends soon', when: 'On the days that you choose below.' },
  'license.expired': { label: 'License ended', when: 'A license has ended.' },
  'license.suspended': { label: 'License suspended', when: 'Somebody suspends a license.' },
  'license.reinstated': { label: 'License reinstated', when: 'A suspended license works again.' },
  'activation.created': { label: 'Device activated', when: 'A device is activated with the license.' },
  'activation.limit_reached': {
    label: 'All devices in use',
    when: 'A device is refused, because the license permits no more. Once a day.',
  },
  'trial.confirm': { label: 'Confirm a trial', when: 'A trial needs a proven address. It is always sent.' },
  'portal.login': { label: 'Log in to the portal', when: 'A customer asks for a link. It is always sent.' },
  'portal.device_released': { label: 'Device released', when: 'A customer releases a device in the portal.' },
};

/** The names of the types, in the order of the API. */
export const mailTypeNames = Object.keys(mailTypes) as readonly MailType[];

/** The languages of mails, with their names. */
export const mailLanguages: Readonly<Record<MailLanguage, string>> = { en: 'English', de: 'German', fr: 'French' };

/** The codes of the languages. */
export const mailLanguageCodes = Object.keys(mailLanguages) as readonly MailLanguage[];

/** The search parameters of the text of a mail. */
export const mailTemplateSearch = searchOf({ language: oneOf(mailLanguageCodes) });

/** The states of a mail. */
export const mailStates = ['queued', 'sent', 'refused', 'cancelled'] as const satisfies readonly HolderMail['state'][];

/** The search parameters of the list of mails. */
export const holderMailsSearch = searchOf({
  type: oneOf(mailTypeNames),
  state: oneOf(mailStates),
  recipient: text,
  cursor: text,
});
