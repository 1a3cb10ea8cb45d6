import { type Static, Type } from 'typebox';
import { Email, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { passwordLength } from '../../../lib/password.ts';

const AbilityName = Type.Union([Type.Literal('tenant'), Type.Literal('admin')]);

/** A password that is being set; one that is checked may have any length. */
export const NewPassword = Type.String({ ...passwordLength, format: 'password' });

export const AdminRoleName = Type.Union([
  Type.Literal('admin'),
  Type.Literal('billing_readonly'),
  Type.Literal('billing_admin'),
  Type.Literal('super_admin'),
]);

/** A password that is checked. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: passwordLength.maxLength, format: 'password' });

/** A code of an authenticator app, or a recovery code. */
export const SecondFactorCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'Six digits of the authenticator app, or a recovery code.',
});

export const Login = strictObject({
  email: Email,
  password: GivenPassword,
  code: Type.Optional(SecondFactorCode),
  ability: Type.Optional(AbilityName),
  device_name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

export type LoginInput = Static<typeof Login>;

/** A user, as the user and a login see it. */
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
  two_factor_enabled: Type.Boolean({ description: 'Logging in asks for a code.' }),
  tenants: Tenants,
};

/** The token of a mailed link. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 100 });

/** A request was taken; whether it led to anything stands in a mail. */
export const Accepted = Type.Object({ accepted: Type.Literal(true) });

/** Who is logged in: `user` with the ability `tenant`, `admin` with the ability `admin`. */
export const Me = Type.Object(subject);

export const LoggedIn = Type.Object({
  access_token: Type.String({ description: 'Shown in this response only.' }),
  token_type: Type.Literal('Bearer'),
  expires_at: TimestampOut,
  ...subject,
});
