import { type Static, Type } from 'typebox';
import { TenantRoleName } from '../../../http/routes/tenant-role-schemas.ts';
import { described, Email, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

/** A member (`active`), or a person with an open invitation (`invited`). */
export const Member = Type.Object(
  {
    id: described(
      Uuid,
      'The id of an invitation stays the same when it is accepted, unless it makes a member an owner.',
    ),
    user_id: Nullable(Uuid, { description: 'Null until the invitation is accepted.' }),
    name: Nullable(Type.String(), { description: 'Null until the invitation is accepted.' }),
    email: Type.String(),
    role: TenantRoleName,
    status: Type.Union([Type.Literal('active'), Type.Literal('invited')], {
      title: 'MemberStatus',
      description: 'An `invited` member has not accepted yet.',
    }),
    access_tokens_count: Type.Integer({
      description:
        'The number of active access tokens of the tenant that the person created. They stay valid if the person gets ' +
        'another role or is removed: list them with `created_by`, and revoke them.',
    }),
    created_at: described(TimestampOut, 'When the person became a member, or was invited.'),
  },
  {
    title: 'Member',
    description: 'A user of a tenant, or an open invitation.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71c',
        user_id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        role: 'owner',
        status: 'active',
        access_tokens_count: 1,
        created_at: '2026-11-01T09:05:00.000000Z',
      },
    ],
  },
);
export type Member = Static<typeof Member>;

/** The body of a request that adds or invites a member. */
export const AddMember = strictObject(
  { email: described(Email, 'The address is invited by mail.'), role: TenantRoleName },
  {
    title: 'AddMember',
    description: 'Invites a person to the tenant.',
    examples: [{ email: 'grace@example.com', role: 'admin' }],
  },
);
export type AddMember = Static<typeof AddMember>;

/** The body of a change of a member or an invitation. */
export const ChangeMember = strictObject(
  { role: TenantRoleName },
  { title: 'ChangeMember', description: 'Changes the role of a member.', examples: [{ role: 'viewer' }] },
);
export type ChangeMember = Static<typeof ChangeMember>;

/** The query of the list of members. `email` must match exactly, except for case. */
export const MembersQuery = PageQuery({
  role: Type.Optional(described(TenantRoleName, 'Return only members with this role.')),
  email: Type.Optional(described(Email, 'The complete address. Case is ignored.')),
});
export type MembersQuery = Static<typeof MembersQuery>;
