import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './transport.ts';

/** Converts a mail to nodemailer's options. */
export function composeOptions({ id, headers, ...mail }: OutgoingMail): SendMailOptions {
  const fromDomain = /@([^\s<>@]+)>?$/.exec(mail.from)?.[1] ?? 'localhost';
  return {
    ...mail,
    // An object, not a string: nodemailer must not parse the address as a list or as a name with an address.
    to: { name: '', address: mail.to },
    messageId: `<${id}@${fromDomain}>`,
    ...(headers && { headers: Object.entries(headers).map(([key, value]) => ({ key, value })) }),
    // All content is text. Nothing in a mail may make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
