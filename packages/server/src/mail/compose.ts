import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './transport.ts';

/** A mail in the words of nodemailer. */
export function composeOptions({ id, headers, ...mail }: OutgoingMail): SendMailOptions {
  const fromDomain = /@([^\s<>@]+)>?$/.exec(mail.from)?.[1] ?? 'localhost';
  return {
    ...mail,
    // One recipient, whose address is never read as a list of several, nor as a name with an address.
    to: { name: '', address: mail.to },
    messageId: `<${id}@${fromDomain}>`,
    ...(headers && { headers: Object.entries(headers).map(([key, value]) => ({ key, value })) }),
    // Content is text only: nothing in a mail may make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
