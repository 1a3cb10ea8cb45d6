import { type Static, Type } from 'typebox';
import { Email, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

const TenantRoleName = Type.Union([Type.Literal('owner'), Type.Literal('admin'), Type.Literal('viewer')]);

/** A member (`active`), or a person with an open invitation (`invited`). */
export const Member = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The id of an invitation stays the same when it is accepted.' }),
  user_id: Type.Union([Uuid, Type.Null()], { description: 'Null until the invitation is accepted.' }),
  name: Nullable(Type.String()),
  email: Type.String(),
  role: TenantRoleName,
  status: Type.Union([Type.Literal('active'), Type.Literal('invited')]),
  created_at: Type.String({ ...TimestampOut, description: 'When the person became a member, or was invited.' }),
});
export type Member = Static<typeof Member>;

/** The body of a request that adds or invites a member. */
export const AddMember = strictObject({ email: Email, role: TenantRoleName });
export type AddMember = Static<typeof AddMember>;

/** The body of a change of a member or an invitation. */
export const ChangeMember = strictObject({ role: TenantRoleName });
export type ChangeMember = Static<typeof ChangeMember>;

/** The query of the list of members. `email` must match exactly, except for case. */
export const MembersQuery = PageQuery({ role: Type.Optional(TenantRoleName), email: Type.Optional(Email) });
export type MembersQuery = Static<typeof MembersQuery>;
