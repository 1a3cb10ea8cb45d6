import { type Static, Type } from 'typebox';
import { Email, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { passwordLength } from '../../../lib/password.ts';

const AbilityName = Type.Union([Type.Literal('tenant'), Type.Literal('admin')]);

/** A new password. The minimum length applies only here, not to a password that is checked. */
export const NewPassword = Type.String({ ...passwordLength, format: 'password' });

/** The roles of admins. */
export const AdminRoleName = Type.Union([
  Type.Literal('admin'),
  Type.Literal('billing_readonly'),
  Type.Literal('billing_admin'),
  Type.Literal('super_admin'),
]);

/** An existing password that is checked. It may be shorter than today's minimum for new passwords. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: passwordLength.maxLength, format: 'password' });

/** A code of an authenticator app, or a recovery code. */
export const SecondFactorCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The six-digit code of the authenticator app, or a recovery code.',
});

/** The body of a login. `ability` is `tenant` by default. */
export const Login = strictObject({
  email: Email,
  password: GivenPassword,
  code: Type.Optional(SecondFactorCode),
  ability: Type.Optional(AbilityName),
  device_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

export type LoginInput = Static<typeof Login>;

/** The view of a user for the user, also in the response to a login. */
export const User = Type.Object({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  email_verified_at: Nullable(TimestampOut),
  created_at: TimestampOut,
});

const Admin = Type.Object({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: AdminRoleName,
  created_at: TimestampOut,
});

const Tenants = Type.Array(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    role: Type.Union([Type.Literal('owner'), Type.Literal('admin'), Type.Literal('viewer')]),
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('closed')]),
  }),
);

const subject = {
  ability: AbilityName,
  user: Type.Optional(User),
  admin: Type.Optional(Admin),
  two_factor_enabled: Type.Boolean({ description: 'Whether a login requires a code.' }),
  tenants: Tenants,
};

/** The token of a mailed link. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 100 });

/** The response to a request whose outcome is sent only by mail. */
export const Accepted = Type.Object({ accepted: Type.Literal(true) });

/** The subject that is logged in: `user` for the ability `tenant`, `admin` for the ability `admin`. */
export const Me = Type.Object(subject);

/** The response to a login: the token, and the logged-in user or admin. */
export const LoggedIn = Type.Object({
  access_token: Type.String({ description: 'The token. Only this response contains it.' }),
  token_type: Type.Literal('Bearer'),
  expires_at: TimestampOut,
  ...subject,
});
