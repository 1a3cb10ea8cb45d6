import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './transport.ts';

/**
 * Marks a mail as sent by a program (RFC 3834, section 5), so that no program answers it: an answer would only reach
 * the sender's mailbox. A mail that a person wrote says otherwise in its own headers.
 */
const automatic = { 'Auto-Submitted': 'auto-generated' } as const;

/** Converts a mail to nodemailer's options. */
export function composeOptions({ id, headers, attachments = [], ...mail }: OutgoingMail): SendMailOptions {
  const fromDomain = /@([^\s<>@]+)>?$/.exec(mail.from)?.[1] ?? 'localhost';
  return {
    ...mail,
    // An object, not a string: nodemailer must not parse the address as a list or as a name with an address.
    to: { name: '', address: mail.to },
    messageId: `<${id}@${fromDomain}>`,
    headers: Object.entries({ ...automatic, ...headers }).map(([key, value]) => ({ key, value })),
    attachments: [...attachments],
    // All content is text or rendered already. Nothing in a mail may make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
