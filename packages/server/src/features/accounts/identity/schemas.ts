import { type Static, Type } from 'typebox';
import type { AdminRole } from '../../../db/tables/platform/identity.ts';
import { adminRoleNames, adminRoles } from '../../../http/routes/admin-roles.ts';
import { AccessTokenRoleName, TenantRoleName } from '../../../http/routes/tenant-role-schemas.ts';
import { annotated, described, Email, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { weaknessOf } from '../../../lib/common-passwords.ts';
import { passwordLength } from '../../../lib/password.ts';

/** The kind of account that logs in. */
export const AbilityName = Type.Union([Type.Literal('tenant'), Type.Literal('admin')], {
  title: 'Ability',
  description: '`tenant` for users of tenants, `admin` for admins of the platform.',
});

/** A new password. These rules apply only here, not to a password that is checked. */
export const NewPassword = Type.Refine(
  Type.String({
    ...passwordLength,
    format: 'password',
    description:
      'The new password: 12 to 256 characters, none of the 10,000 most common passwords of that length, not one ' +
      'repeated character, and not your email address.',
    examples: ['correct horse battery staple'],
  }),
  (password) => weaknessOf(password) === null,
  (password) => weaknessOf(String(password)) ?? '',
);

/** The roles of admins. */
export const AdminRoleName = Type.Unsafe<AdminRole>(
  Type.Enum([...adminRoleNames], {
    title: 'AdminRole',
    description: adminRoleNames.map((role) => `\`${role}\`: ${adminRoles[role].description}`).join(' '),
  }),
);

const AdminAccessName = Type.Enum(['none', 'read', 'write'], {
  title: 'AdminAccess',
  description: '`none`: no request. `read`: GET and HEAD. `write`: every method.',
});

/** What a role of admins may do in each area of the admin surface. */
export const AdminRights = Type.Object(
  {
    platform: described(AdminAccessName, 'The platform and every tenant: everything that no other field names.'),
    billing: described(AdminAccessName, 'Billing administration, and changes of subscriptions and invoices.'),
    admins: described(AdminAccessName, 'The admins, and the removal of demo data.'),
    account: described(AdminAccessName, 'The own account and its sessions.'),
  },
  { title: 'AdminRights', description: 'What a role may do in each area.' },
);

/** The status of a tenant. A closed tenant cannot be reopened. */
export const TenantStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('closed')], {
  title: 'TenantStatus',
  description: 'Only an `active` tenant is served. A `closed` tenant cannot be reopened.',
});

/** An existing password that is checked. It may be shorter than today's minimum for new passwords. */
export const GivenPassword = Type.String({
  minLength: 1,
  maxLength: passwordLength.maxLength,
  format: 'password',
  description: 'Your current password.',
});

/** A code of an authenticator app, or a recovery code. */
export const SecondFactorCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The six-digit code of the authenticator app, or a recovery code.',
  examples: ['492039'],
});

/** The body of a login. `ability` is `tenant` by default. */
export const Login = strictObject(
  {
    email: described(Email, 'The email address of the user or admin.'),
    password: GivenPassword,
    code: Type.Optional(
      described(SecondFactorCode, 'The code of the authenticator app or a recovery code, if two-factor login is on.'),
    ),
    ability: Type.Optional(
      annotated(AbilityName, { default: 'tenant', description: 'Whether a user or an admin logs in.' }),
    ),
    device_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The name of the device in the list of sessions.',
        examples: ["Ada's laptop"],
      }),
    ),
  },
  {
    title: 'Login',
    description: 'Credentials of a user or a platform admin.',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }],
  },
);

export type LoginInput = Static<typeof Login>;

const exampleUser = {
  id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  email_verified_at: '2026-11-01T09:00:00.000000Z',
  created_at: '2026-11-01T08:55:00.000000Z',
};

/** The view of a user for the user, also in the response to a login. */
export const User = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    email_verified_at: Nullable(TimestampOut, { description: 'Null until the address is verified.' }),
    created_at: TimestampOut,
  },
  { title: 'User', description: 'A person who uses tenants.', examples: [exampleUser] },
);

const LoggedInAdmin = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    role: AdminRoleName,
    rights: AdminRights,
    created_at: TimestampOut,
  },
  { title: 'LoggedInAdmin', description: 'The admin who is logged in.' },
);

const TenantMembership = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    role: TenantRoleName,
    status: TenantStatus,
    live_tenant_id: Nullable(Uuid, { description: 'The tenant whose test copy this one is; null: a live tenant.' }),
    payment_due_at: Type.Optional(
      described(TimestampOut, 'Only after a failed payment: the tenant is suspended then unless the invoice is paid.'),
    ),
    is_demo: Type.Optional(Type.Boolean({ description: 'Only for a tenant of the demo, which its owner can remove.' })),
  },
  { title: 'TenantMembership', description: 'A tenant of the user, and the role of the user there.' },
);

const subject = {
  ability: AbilityName,
  user: Type.Optional(User),
  admin: Type.Optional(LoggedInAdmin),
  two_factor_enabled: Type.Boolean({ description: 'Whether a login requires a code.' }),
  tenants: Type.Array(TenantMembership, { description: 'The tenants of the user; empty for an admin.' }),
};

const exampleSubject = {
  ability: 'tenant',
  user: exampleUser,
  two_factor_enabled: false,
  tenants: [
    { id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f', name: 'Acme', role: 'owner', status: 'active', live_tenant_id: null },
  ],
};

/** The token of a mailed link. */
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The token of the mailed link.',
});

/** The response to a request whose outcome is sent only by mail. */
export const Accepted = Type.Object(
  { accepted: Type.Literal(true) },
  {
    title: 'Accepted',
    description: 'The request was accepted. The response is the same whether or not there is an account.',
  },
);

const OwnAccessToken = Type.Object(
  {
    id: Uuid,
    name: Type.String({ description: 'What the token is for.' }),
    role: AccessTokenRoleName,
    created_at: described(TimestampOut, 'When the token was created.'),
    expires_at: Nullable(described(TimestampOut, 'When the token stops working; null: only when it is revoked.')),
  },
  {
    title: 'OwnAccessToken',
    description: 'The access token of the request, if it was sent instead of the token of a login.',
  },
);

/**
 * The subject of the request's token: `user` or `access_token` for the ability `tenant`, `admin` for the ability
 * `admin`.
 */
export const Me = Type.Object(
  { ...subject, access_token: Type.Optional(OwnAccessToken) },
  {
    title: 'CurrentSubject',
    description:
      'Who sent the request: `user` or `access_token` with the ability `tenant`, `admin` with the ability `admin`.',
    examples: [exampleSubject],
  },
);

/** The response to a login: the token, and the logged-in user or admin. */
export const LoggedIn = Type.Object(
  {
    access_token: Type.String({ description: 'The token. Only this response contains it.' }),
    token_type: Type.Literal('Bearer'),
    expires_at: described(TimestampOut, 'When the token expires.'),
    ...subject,
  },
  {
    title: 'LoginResult',
    description: 'The access token and its user or admin.',
    examples: [
      {
        access_token: `service_${'3f9a'.repeat(16)}`,
        token_type: 'Bearer',
        expires_at: '2026-12-20T17:42:00.123456Z',
        ...exampleSubject,
      },
    ],
  },
);
