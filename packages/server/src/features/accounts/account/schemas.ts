import { type Static, Type } from 'typebox';
import { Name, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { passwordLength } from '../../../lib/password.ts';
import { NewPassword } from '../identity/schemas.ts';

/** The view of an account for its user. */
export const AccountView = Type.Object({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  email_verified_at: Nullable(TimestampOut),
  created_at: TimestampOut,
  deletion_scheduled_for: Nullable(
    Type.Unsafe<string>({
      ...TimestampOut,
      description: 'When your personal data is erased; null if no deletion is scheduled.',
    }),
  ),
});
export type AccountView = Static<typeof AccountView>;

/** An existing password. It may be shorter than today's minimum for new passwords. */
const KnownPassword = Type.String({ minLength: 1, maxLength: passwordLength.maxLength, format: 'password' });

/** The body of a change of the account. `password` requires `current_password`. */
export const UpdateAccount = strictObject({
  name: Type.Optional(Name),
  current_password: Type.Optional(KnownPassword),
  password: Type.Optional(NewPassword),
});
export type UpdateAccount = Static<typeof UpdateAccount>;

/** The body of a request that schedules the deletion of the account. */
export const DeleteAccount = strictObject({ password: KnownPassword });

/** The state of an export of personal data. `progress` counts sections and tenants. */
export const AccountExport = Type.Object({
  id: Uuid,
  status: Type.Union([Type.Literal('pending'), Type.Literal('running'), Type.Literal('ready'), Type.Literal('failed')]),
  progress: Type.Object({ done: Type.Integer(), total: Type.Integer() }),
  download_url: Type.Unsafe<string | null>({
    ...Nullable(Type.String({ format: 'uri' })),
    description: 'The file, for the same user with a token, until `expires_at`; null until the status is `ready`.',
  }),
  created_at: TimestampOut,
  expires_at: Type.Unsafe<string>({ ...TimestampOut, description: 'When the file is removed.' }),
});
export type AccountExport = Static<typeof AccountExport>;
