import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

const NotificationType = Type.String({
  pattern: '^[a-z][a-z0-9_.]{0,63}$',
  description: 'The subject, such as `license.expiring`. Notifications of the service use the types of its events.',
});

const Severity = Type.Union([Type.Literal('info'), Type.Literal('warning'), Type.Literal('critical')]);

const Title = Type.Refine(
  Type.String({ minLength: 1, maxLength: 200 }),
  (title) => title.trim() === title,
  () => 'must not start or end with white space',
);

export const Notification = Type.Object({
  id: Uuid,
  type: Type.String(),
  severity: Severity,
  title: Type.String(),
  body: Type.String(),
  read_at: Nullable(TimestampOut),
  created_at: TimestampOut,
});
export type Notification = Static<typeof Notification>;

export const CreateNotification = strictObject({
  type: Type.Optional(NotificationType),
  severity: Type.Optional(Severity),
  title: Title,
  body: Type.String({ minLength: 1, maxLength: 5000 }),
});
export type CreateNotification = Static<typeof CreateNotification>;

export const NotificationsQuery = PageQuery({
  type: Type.Optional(NotificationType),
  severity: Type.Optional(Severity),
  unread: Type.Optional(Type.Boolean({ description: '`true` returns unread notifications, `false` read ones.' })),
});
export type NotificationsQuery = Static<typeof NotificationsQuery>;

export const ReadCount = Type.Object({
  count: Type.Integer({ description: 'The number of notifications marked as read.' }),
});
