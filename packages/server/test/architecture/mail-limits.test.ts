import { expect, test } from 'vitest';
import { type LimitedMail, mailLimits } from '../../src/mail/limits.ts';
import { readSourceFiles } from './source-files.ts';

/**
 * Every template of a mail, with the kind under which its mails are limited. `person`: only the person of a proven
 * address, an operator or a payment causes it.
 */
const templates: Readonly<Record<string, LimitedMail | 'person'>> = {
  verifyEmailMail: 'registration',
  alreadyRegisteredMail: 'registration',
  unfinishedRegistrationMail: 'registration',
  addressReservedMail: 'registration',
  resetPasswordMail: 'password_reset',
  confirmEmailMail: 'address_change',
  addressInUseMail: 'address_change',
  invitationMail: 'invitation',
  confirmSubscriptionMail: 'subscription',
  notificationsMail: 'notification',
  passwordChangedMail: 'unverified_account',
  deletionScheduledMail: 'unverified_account',
  twoFactorEnabledMail: 'unverified_account',
  twoFactorDisabledMail: 'unverified_account',
  passwordResetMail: 'person',
  deletionPostponedMail: 'person',
  identityLinkedMail: 'person',
  twoFactorUndoneMail: 'person',
  emailChangeNoticeMail: 'person',
  emailChangeRevertedMail: 'person',
  formerEmailMail: 'person',
  newsMail: 'person',
  welcomeMail: 'person',
  receiptMail: 'person',
  invoiceMail: 'person',
  reminderMail: 'person',
  creditNoteMail: 'person',
  billingMail: 'person',
  trialEndsMail: 'person',
};

/** Mails to license holders, whose texts are the tenant's: the function that queues them, with the kind of their limit. */
const holderMails: Readonly<Record<string, LimitedMail>> = { queueLoginMail: 'portal_login' };

const sources = readSourceFiles('packages/server/src/**/*.ts');

test('every template of a mail states who can cause it', () => {
  const names = sources
    .filter(({ path }) => path.includes('/mail/templates/'))
    .flatMap(({ text }) => [...text.matchAll(/^export function (\w+Mail)\(/gm)].map(([, name]) => name));
  expect(names.sort()).toEqual(Object.keys(templates).sort());
});

test('every file that writes a mail which a stranger can cause counts it against its limit', () => {
  for (const [template, kind] of Object.entries(templates)) {
    if (kind === 'person') continue;
    const writers = sources.filter(({ path, text }) => path.includes('/features/') && text.includes(`${template}`));
    expect(writers.length, template).toBeGreaterThan(0);
    for (const { path, text } of writers) {
      const counts = kind === 'unverified_account' ? 'admitsNotice(' : `kind: '${kind}'`;
      expect(text, `${path} writes ${template}`).toContain(counts);
    }
  }
  for (const [name, kind] of Object.entries(holderMails)) {
    const writers = sources.filter(({ text }) => text.includes(`await ${name}(`));
    expect(writers.length, name).toBeGreaterThan(0);
    for (const { path, text } of writers) expect(text, `${path} calls ${name}`).toContain(`kind: '${kind}'`);
  }
  // Tenants send the last two, and write their texts.
  const limited = [...Object.values(templates), ...Object.values(holderMails), 'holder', 'holder_test'];
  for (const kind of Object.keys(mailLimits)) expect(limited).toContain(kind);
});
