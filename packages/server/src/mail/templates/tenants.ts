import type { Timestamp } from '../../lib/clock.ts';
import { readableMoment } from '../../lib/readable-time.ts';
import type { Mail } from '../transport.ts';
import { openService, writeLetter } from './layout.ts';
import { quoted, withoutLinks } from './names.ts';

interface Invitation {
  readonly to: string;
  /** A tenant's name, or the platform's administration. */
  readonly target: string;
  readonly role: string;
  readonly expiresAt: Timestamp;
  readonly publicUrl: string;
  readonly token: string;
}

/** Creates an invitation. The token is in the fragment of the link, which browsers do not send to servers. */
export function invitationMail({ to, target, role, expiresAt, publicUrl, token }: Invitation): Mail {
  return writeLetter({
    to,
    subject: `Invitation to ${target}`,
    paragraphs: [
      `You are invited to join ${target} with the role ${role.replaceAll('_', ' ')}.`,
      `Open the invitation to accept or decline it. You can use the link once, until ${readableMoment(expiresAt)}. If you have an account, you can also find the invitation there.`,
    ],
    action: { label: 'View invitation', url: `${publicUrl}/accept-invitation#token=${token}` },
    note: 'If you did not expect this invitation, you can ignore this email. Nothing happens unless you accept.',
    usefulUntil: expiresAt,
  });
}

interface Welcome {
  readonly to: string;
  readonly tenantName: string;
  readonly planName: string;
  readonly publicUrl: string;
}

/** Creates the mail about a completed sign-up. */
export function welcomeMail({ to, tenantName, planName, publicUrl }: Welcome): Mail {
  return writeLetter({
    to,
    subject: `${tenantName} is ready`,
    paragraphs: [
      `${tenantName} is on the ${planName} plan, and you are its owner.`,
      'Log in, create an API key, and use it to validate your first license.',
    ],
    action: openService({ publicUrl }),
    note: 'You received this email because you signed up.',
  });
}

interface Notifications {
  readonly to: string;
  readonly tenantName: string;
  /** The notifications of the mail, at least one. */
  readonly notifications: readonly { readonly title: string; readonly body: string }[];
  /** Number of further notifications that the mail does not list. */
  readonly others: number;
  readonly publicUrl: string;
}

/** Creates the mail that lists new notifications of a tenant. */
export function notificationsMail({ to, tenantName, notifications, others, publicUrl }: Notifications): Mail {
  const count = notifications.length + others;
  const more =
    others === 0 ? [] : [`There ${others === 1 ? 'is 1 more notification' : `are ${others} more notifications`}.`];
  return writeLetter({
    to,
    subject: `${quoted(tenantName)}: ${count === 1 ? withoutLinks(notifications[0]?.title ?? '') : `${count} notifications`}`,
    paragraphs: [...notifications.map(({ title, body }) => withoutLinks(`${title}. ${body}`)), ...more],
    action: openService({ publicUrl }),
    note: `You received this email because you own ${quoted(tenantName)}, or because its settings list this address for notification mails.`,
  });
}
