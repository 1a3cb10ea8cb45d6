import { Type } from 'typebox';
import { AccessTokenRoleName, TenantRoleName } from '../../../http/routes/tenant-role-schemas.ts';
import {
  described,
  includeDetails,
  Name,
  Nullable,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { CreatorName } from '../credentials/credential.ts';

const TokenName = Type.String({ description: 'What the token is for.' });

const CreatorRole = Nullable(TenantRoleName, {
  description:
    'The role of this user in the tenant now; null: no longer a member, or disabled. The token stays valid in any ' +
    'case until it expires or is revoked.',
});

const Creator = Type.Object(
  {
    type: Type.Literal('user', { description: 'Only members can create access tokens.' }),
    id: Type.String({ format: 'uuid', description: 'The id of the user.' }),
    role: CreatorRole,
    name: Type.Optional(CreatorName),
  },
  { description: 'The member who created the token.' },
);

const common = {
  role: AccessTokenRoleName,
  hint: Type.String({
    description: 'The masked token, by which people recognise it.',
    examples: ['service_3f9a…c2d1'],
  }),
  expires_at: Nullable(described(TimestampOut, 'When the token stops working; null: only when it is revoked.')),
  last_used_at: Nullable(described(TimestampOut, 'When the token was last accepted; null: never.')),
  created_by: Creator,
};

const exampleToken = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f718',
  name: 'Shop',
  status: 'active',
  created_at: '2026-11-20T17:42:00.123456Z',
  role: 'admin',
  hint: 'service_3f9a…3f9a',
  expires_at: null,
  last_used_at: null,
  created_by: { type: 'user', id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f715', role: 'owner' },
} as const;

const Id = described(Uuid, 'The id of the token, which audit records name as the actor.');
const CreatedAt = described(TimestampOut, 'When the token was created.');

/** An access token as callers see it. The raw token is not included. */
export const AccessToken = Type.Object(
  {
    id: Id,
    name: TokenName,
    status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')], {
      description: 'Only an `active` token is accepted.',
    }),
    created_at: CreatedAt,
    ...common,
  },
  {
    title: 'AccessToken',
    description: 'A token with which a program uses the resources of one tenant.',
    examples: [exampleToken],
  },
);

/** An access token in the response to its creation, with the raw token. */
export const CreatedAccessToken = Type.Object(
  {
    id: Id,
    name: TokenName,
    token: Nullable(
      Type.String({
        description: 'The token. Only this response contains it; null in a replayed response of an idempotent request.',
        examples: [`service_${'3f9a'.repeat(16)}`],
      }),
    ),
    status: Type.Literal('active', { description: 'A new token is active.' }),
    created_at: CreatedAt,
    ...common,
  },
  {
    title: 'CreatedAccessToken',
    description: 'A new access token with its secret.',
    examples: [{ ...exampleToken, token: `service_${'3f9a'.repeat(16)}` }],
  },
);

/** The body of a request that creates an access token. */
export const CreateAccessToken = strictObject(
  {
    name: described(Name, 'What the token is for. The name must not start or end with white space.'),
    role: AccessTokenRoleName,
    expires_at: Type.Optional(
      Nullable(described(TimestampIn, 'When the token stops working, in the future. Null: never.')),
    ),
  },
  {
    title: 'CreateAccessToken',
    description: 'An access token to create.',
    examples: [{ name: 'Shop', role: 'admin', expires_at: null }],
  },
);

/** The filters of the list of access tokens. */
export const accessTokenFilters = {
  ...includeDetails('Adds the names of the creators.'),
  status: Type.Optional(AccessToken.properties.status),
  created_by: Type.Optional(described(Uuid, 'Return only the tokens that this user created.')),
};
