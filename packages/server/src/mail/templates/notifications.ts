import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

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
  const letter = writeLetter({
    subject: count === 1 ? `${tenantName}: ${notifications[0]?.title}` : `${tenantName}: ${count} notifications`,
    paragraphs: [...notifications.map(({ title, body }) => `${title}. ${body}`), ...more],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: `You receive this mail because you own ${tenantName} or because its settings list you as a recipient (notification_emails).`,
  });
  return { to, ...letter };
}
