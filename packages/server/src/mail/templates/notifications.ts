import type { Mail } from '../transport.ts';
import { writeLetter } from './layout.ts';

interface Notifications {
  readonly to: string;
  readonly tenantName: string;
  /** At least one. */
  readonly notifications: readonly { readonly title: string; readonly body: string }[];
  /** How many there are beside them. */
  readonly others: number;
  readonly publicUrl: string;
}

/** The mail that tells what happened in a tenant. */
export function notificationsMail({ to, tenantName, notifications, others, publicUrl }: Notifications): Mail {
  const count = notifications.length + others;
  const more = others === 0 ? [] : [`There ${others === 1 ? 'is 1 more notification' : `are ${others} more`}.`];
  const letter = writeLetter({
    subject: count === 1 ? `${tenantName}: ${notifications[0]?.title}` : `${tenantName}: ${count} notifications`,
    paragraphs: [...notifications.map(({ title, body }) => `${title}. ${body}`), ...more],
    action: { label: 'Open the licensing service', url: publicUrl },
    note: `You get this mail because of the settings of ${tenantName}, or because you own it. Its notification_emails say who gets it.`,
  });
  return { to, ...letter };
}
