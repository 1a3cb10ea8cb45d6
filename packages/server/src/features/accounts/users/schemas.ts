import { type Static, Type } from 'typebox';
import { TenantRoleName } from '../../../http/routes/tenant-role-schemas.ts';
import { described, FilterText, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';
import { TenantStatus } from '../identity/schemas.ts';

const userFields = {
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  email_verified_at: Nullable(TimestampOut, { description: 'Null until the address is verified.' }),
  disabled_at: Nullable(TimestampOut, { description: 'When the user was disabled; null while the user can log in.' }),
  two_factor_enabled: Type.Boolean({ description: 'Whether a login requires a code.' }),
  created_at: TimestampOut,
};

const exampleUser = {
  id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  email_verified_at: '2026-11-01T09:00:00.000000Z',
  disabled_at: null,
  two_factor_enabled: true,
  created_at: '2026-11-01T08:55:00.000000Z',
};

/** A user in the list of the platform's users. */
export const UserSummary = Type.Object(userFields, {
  title: 'PlatformUser',
  description: 'A user as admins see it.',
  examples: [exampleUser],
});
export type UserSummary = Static<typeof UserSummary>;

/** A user with everything that an admin needs to help. It contains no token, hash or secret. */
export const UserDetail = Type.Object(
  {
    ...userFields,
    has_password: Type.Boolean({ description: 'False until the user chooses a password.' }),
    deletion_scheduled_for: Nullable(TimestampOut, {
      description: 'When the personal data is erased; null if no deletion is scheduled.',
    }),
    two_factor: Type.Object(
      {
        enabled_at: Nullable(TimestampOut, { description: 'Null while it is off.' }),
        recovery_codes_left: Type.Integer({ description: 'The number of unused recovery codes.' }),
      },
      { title: 'PlatformUserTwoFactor', description: 'Since when a user has two-factor authentication.' },
    ),
    memberships: Type.Array(
      Type.Object(
        {
          tenant_id: Uuid,
          tenant_name: Type.String(),
          tenant_status: TenantStatus,
          role: TenantRoleName,
          joined_at: TimestampOut,
        },
        { title: 'PlatformUserMembership', description: 'A tenant of a user, and the role of the user in it.' },
      ),
      { description: 'The tenants of the user in the order of joining, at most 1,000.' },
    ),
    sessions: Type.Array(
      Type.Object(
        {
          id: Uuid,
          device_name: Nullable(Type.String(), { description: 'The name that the login sent.' }),
          ip: Nullable(Type.String(), { description: 'The client address of the last use, or of the login.' }),
          created_at: TimestampOut,
          last_used_at: Nullable(TimestampOut, { description: 'Exact to a minute.' }),
          expires_at: TimestampOut,
        },
        { title: 'PlatformUserSession', description: 'A session of a user.' },
      ),
      { description: 'The sessions that have not expired, the newest 100, newest first.' },
    ),
  },
  {
    title: 'PlatformUserDetail',
    description: 'A user with memberships, sessions and two-factor authentication.',
    examples: [
      {
        ...exampleUser,
        has_password: true,
        deletion_scheduled_for: null,
        two_factor: { enabled_at: '2026-11-02T10:00:00.000000Z', recovery_codes_left: 9 },
        memberships: [
          {
            tenant_id: '019a9b00-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
            tenant_name: 'Acme',
            tenant_status: 'active',
            role: 'owner',
            joined_at: '2026-11-01T09:05:00.000000Z',
          },
        ],
        sessions: [],
      },
    ],
  },
);
export type UserDetail = Static<typeof UserDetail>;

/** The query of the list of users. */
export const UsersQuery = PageQuery({
  q: Type.Optional(
    described(
      FilterText(254, ''),
      'The id, or the beginning of the address, of the name, or of what follows its first word, such as the last name. ' +
        'The case of the letters A to Z does not matter.',
    ),
  ),
});
export type UsersQuery = Static<typeof UsersQuery>;
