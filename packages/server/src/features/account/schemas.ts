import { Type } from 'typebox';
import { Nullable, TimestampOut, Uuid } from '../../http/schema.ts';

/** An account as its user sees it. */
export const AccountView = Type.Object({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  email_verified_at: Nullable(TimestampOut),
  created_at: TimestampOut,
});
