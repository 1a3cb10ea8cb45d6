import { type Static, Type } from 'typebox';
import {
  described,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';

const NotificationType = Type.String({
  pattern: '^[a-z][a-z0-9_.]{0,63}$',
  description: 'The subject, such as `license.expiring`. Notifications of the service use the types of its events.',
  examples: ['license.expiring'],
});

const Severity = Type.Union([Type.Literal('info'), Type.Literal('warning'), Type.Literal('critical')], {
  title: 'Severity',
  description: 'How urgent the notification is.',
});

const Title = Type.Refine(
  Type.String({ minLength: 1, maxLength: 200, description: 'One line that says what happened.' }),
  (title) => title.trim() === title,
  () => 'Remove the spaces at the start and the end.',
);

export const Notification = Type.Object(
  {
    id: Uuid,
    type: Type.String({ description: 'The subject, such as `license.expiring`.' }),
    severity: Severity,
    title: Type.String({ description: 'One line that says what happened.' }),
    body: Type.String({ description: 'What happened and what to do, as plain text.' }),
    resource_type: Nullable(Type.String(), {
      description: 'The type of the resource that it is about, such as `license`; null if it is about none.',
    }),
    resource_id: Nullable(Type.String(), { description: 'Its id; null also if it is about several.' }),
    read_at: Nullable(TimestampOut, { description: 'Null while it is unread.' }),
    created_at: TimestampOut,
  },
  {
    title: 'Notification',
    description: 'A message to the users of a tenant.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f721',
        type: 'license.expiring',
        severity: 'warning',
        title: 'A license expires in 14 days',
        body: 'The license of Ada Lovelace expires on 4 December 2026. Renew it, or tell the holder.',
        resource_type: 'license',
        resource_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
        read_at: null,
        created_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type Notification = Static<typeof Notification>;

export const CreateNotification = strictObject(
  withDefaults(
    {
      type: Type.Optional(NotificationType),
      severity: Type.Optional(Severity),
      title: Title,
      body: Type.String({
        minLength: 1,
        maxLength: 5000,
        description: 'What happened and what to do, as plain text.',
      }),
    },
    { type: 'message', severity: 'info' },
  ),
  {
    title: 'CreateNotification',
    description: 'A message to the members of a tenant.',
    examples: [{ title: 'Maintenance on Sunday', body: 'The shop is offline from 02:00 to 04:00 UTC.' }],
  },
);
export type CreateNotification = Static<typeof CreateNotification>;

export const NotificationsQuery = PageQuery({
  type: Type.Optional(described(NotificationType, 'Return only notifications of this type.')),
  severity: Type.Optional(described(Severity, 'Return only notifications of this severity.')),
  unread: Type.Optional(Type.Boolean({ description: '`true` returns unread notifications, `false` read ones.' })),
});
export type NotificationsQuery = Static<typeof NotificationsQuery>;

export const UnreadCount = Type.Object(
  { count: Type.Integer({ description: 'The number of unread notifications, at most 100.' }) },
  { title: 'UnreadNotificationCount', description: 'How many notifications are unread.', examples: [{ count: 3 }] },
);

export const ReadCount = Type.Object(
  { count: Type.Integer({ description: 'The number of notifications marked as read.' }) },
  { title: 'ReadCount', description: 'How many notifications became read.', examples: [{ count: 3 }] },
);
