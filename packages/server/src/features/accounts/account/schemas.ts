import { type Static, Type } from 'typebox';
import { described, Nullable, PublicName, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { AdminRoleName, GivenPassword, NewPassword } from '../identity/schemas.ts';

/** The view of an account for its user. */
export const AccountView = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    email_verified_at: Nullable(TimestampOut, { description: 'Null until the address is verified.' }),
    created_at: TimestampOut,
    has_password: Type.Boolean({ description: 'False for a user who logs in with single sign-on only.' }),
    deletion_scheduled_for: Nullable(TimestampOut, {
      description: 'When your personal data is erased; null if no deletion is scheduled.',
    }),
    email_change: Nullable(
      Type.Object(
        {
          email: Type.String({ description: 'The new address.' }),
          requested_at: TimestampOut,
          expires_at: described(TimestampOut, 'When the link in the mail expires.'),
        },
        { title: 'PendingEmailChange' },
      ),
      { description: 'The change of the address that waits for its confirmation; null if there is none.' },
    ),
  },
  {
    title: 'Account',
    description: 'The profile of the user who is logged in.',
    examples: [
      {
        id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        email_verified_at: '2026-11-01T09:00:00.000000Z',
        created_at: '2026-11-01T08:55:00.000000Z',
        has_password: true,
        deletion_scheduled_for: null,
        email_change: null,
      },
    ],
  },
);
export type AccountView = Static<typeof AccountView>;

/** The body of a change of the account. `password` requires `current_password`. */
export const UpdateAccount = strictObject(
  {
    name: Type.Optional(described(PublicName, 'Your name.')),
    current_password: Type.Optional(
      described(GivenPassword, 'Your current password; required for a change of the password.'),
    ),
    password: Type.Optional(NewPassword),
  },
  { title: 'UpdateAccount', description: 'The fields of the account to change.', examples: [{ name: 'Ada King' }] },
);
export type UpdateAccount = Static<typeof UpdateAccount>;

/** The body of a request that schedules the deletion of the account. */
export const DeleteAccount = strictObject(
  { password: GivenPassword },
  {
    title: 'DeleteAccount',
    description: 'Confirms the deletion of the account.',
    examples: [{ password: 'correct horse battery staple' }],
  },
);

/** The state of an export of personal data. `progress` counts sections and tenants. */
export const AccountExport = Type.Object(
  {
    id: Uuid,
    status: Type.Union(
      [Type.Literal('pending'), Type.Literal('running'), Type.Literal('ready'), Type.Literal('failed')],
      { title: 'AccountExportStatus', description: 'The file can be downloaded once the status is `ready`.' },
    ),
    progress: Type.Object(
      { done: Type.Integer(), total: Type.Integer() },
      { title: 'AccountExportProgress', description: 'Finished and total parts of the export.' },
    ),
    download_url: Nullable(Type.String({ format: 'uri' }), {
      description: 'The file, for the same user with a token, until `expires_at`; null until the status is `ready`.',
    }),
    created_at: TimestampOut,
    expires_at: described(TimestampOut, 'When the file is removed.'),
  },
  {
    title: 'AccountExport',
    description: 'An export of the personal data of a user.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71d',
        status: 'running',
        progress: { done: 3, total: 8 },
        download_url: null,
        created_at: '2026-11-20T17:42:00.123456Z',
        expires_at: '2026-11-27T17:42:00.123456Z',
      },
    ],
  },
);
export type AccountExport = Static<typeof AccountExport>;

/** A login of a user or an admin that has not ended. */
export const Session = Type.Object(
  {
    id: Uuid,
    device_name: Nullable(Type.String(), { description: 'The name that the login gave; null without one.' }),
    ip: Nullable(Type.String(), {
      description: 'The client address of the last use, to a minute, or of the login; null if it is not known.',
    }),
    created_at: described(TimestampOut, 'When the person logged in.'),
    last_used_at: Nullable(TimestampOut, { description: 'Up to a minute old; null before the first use.' }),
    expires_at: described(TimestampOut, 'When the session ends by itself.'),
    current: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
  },
  {
    title: 'Session',
    description: 'A login that has not ended.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f716',
        device_name: 'Laptop',
        ip: '203.0.113.7',
        created_at: '2026-11-20T17:42:00.123456Z',
        last_used_at: '2026-11-21T08:15:30.000000Z',
        expires_at: '2026-12-20T17:42:00.123456Z',
        current: true,
      },
    ],
  },
);

/** The result of ending all other sessions. */
export const RevokedSessions = Type.Object(
  { revoked_count: Type.Integer({ description: 'The number of sessions that were ended.' }) },
  { title: 'RevokedSessions', description: 'How many sessions ended.', examples: [{ revoked_count: 2 }] },
);

/** The view of an admin for that admin. */
export const AdminAccount = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    role: AdminRoleName,
    created_at: TimestampOut,
  },
  {
    title: 'AdminAccount',
    description: 'The profile of the platform admin who is logged in.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f713',
        email: 'grace@example.com',
        name: 'Grace Hopper',
        role: 'billing_admin',
        created_at: '2026-11-01T09:00:00.000000Z',
      },
    ],
  },
);
