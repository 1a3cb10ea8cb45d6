import type { NotificationsTable } from '../../../db/tables/tenant/notifications.ts';
import { newId } from '../../../lib/ids.ts';
import type { Present } from './past.ts';

type Note = Pick<NotificationsTable, 'type' | 'severity' | 'title' | 'body'> & {
  readonly daysAgo: number;
  /** How long after its creation it was read, in days; null: unread. */
  readonly readAfterDays: number | null;
};

const notes: readonly Note[] = [
  {
    type: 'webhook.failing',
    severity: 'warning',
    title: 'Deliveries to chat.demo.example are failing',
    body: 'Demo data. The endpoint has answered with 503 for two days.',
    daysAgo: 1.4,
    readAfterDays: null,
  },
  {
    type: 'license.expiring',
    severity: 'info',
    title: '21 licenses expire within 14 days',
    body: 'Demo data. Renew them, or contact the customers.',
    daysAgo: 0.6,
    readAfterDays: null,
  },
  {
    type: 'entitlement.limit_reached',
    severity: 'warning',
    title: 'A license has used all of its renders',
    body: 'Demo data. The license has used 600 of 600 renders of this month. Further renders are refused.',
    daysAgo: 2.1,
    readAfterDays: null,
  },
  {
    type: 'webhook.disabled',
    severity: 'critical',
    title: 'A webhook endpoint was disabled',
    body: 'Demo data. Ten deliveries to erp.demo.example failed in a row. Enable it once it works again, and recover the events that it missed.',
    daysAgo: 6,
    readAfterDays: 0.1,
  },
  {
    type: 'message',
    severity: 'info',
    title: 'Planned maintenance on Sunday',
    body: 'Demo data. The service restarts on Sunday at 04:00 UTC. Licensed applications are not affected.',
    daysAgo: 12,
    readAfterDays: 1.5,
  },
  {
    type: 'license.expiring',
    severity: 'info',
    title: '17 licenses expire within 14 days',
    body: 'Demo data. Renew them, or contact the customers.',
    daysAgo: 15,
    readAfterDays: 0.4,
  },
  {
    type: 'message',
    severity: 'info',
    title: 'Welcome to the demo',
    body: 'Everything in this tenant is invented. Create a tenant of your own, and remove the demo data.',
    daysAgo: 85,
    readAfterDays: 0.2,
  },
];

/** Returns the notifications of the demo, read and unread. */
export function planNotifications(present: Present): NotificationsTable[] {
  return notes.map(({ daysAgo, readAfterDays, ...note }) => ({
    id: newId(),
    ...note,
    occurrence: null,
    resource_type: null,
    resource_id: null,
    read_at: readAfterDays === null ? null : present.ago(daysAgo - readAfterDays),
    created_at: present.ago(daysAgo),
  }));
}
