import { Type } from 'typebox';
import { fileQuery } from '../../../http/file-export.ts';
import {
  described,
  FilterText,
  Nullable,
  PageQuery,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';

const ActorType = Type.Union(
  [
    Type.Literal('user'),
    Type.Literal('admin'),
    Type.Literal('api_key'),
    Type.Literal('system'),
    Type.Literal('holder'),
    Type.Literal('connection'),
  ],
  {
    title: 'ActorType',
    description:
      'Who acted; `system` is the service itself, `holder` the holder of a license in the portal, and `connection` a shop ' +
      'whose message caused the change.',
  },
);

const AuditChange = Type.Object(
  {
    field: Type.String({ description: 'The name of the field.' }),
    old: Type.Unknown({ description: 'The value before; null for a creation.' }),
    new: Type.Unknown({ description: 'The value after.' }),
  },
  { title: 'AuditChange', description: 'One changed field with its former and its new value.' },
);

export const AuditRecord = Type.Object(
  {
    id: Uuid,
    occurred_at: described(TimestampOut, 'When the change was made.'),
    event: Type.String({
      description: '`RESOURCE.VERB`; with the suffix `_BY_ADMIN` if an admin of the platform acted on a tenant.',
    }),
    actor_type: ActorType,
    actor_id: Nullable(Type.String(), {
      description:
        'The id of the user, admin, API key or access token (whose type is `user`), of the session of a holder, or of the connection.',
    }),
    actor_name: Nullable(Type.String(), {
      description: "The actor's present name; null if it was removed, and for admins on the tenant surface.",
    }),
    actor_created_by: Nullable(Type.String(), {
      description: 'The id of the user who created the access token that acted; null for other actors.',
    }),
    resource_type: Type.String({ description: 'The type of the affected resource, such as `license`.' }),
    resource_id: Nullable(Type.String(), { description: 'The id of the affected resource.' }),
    resource_name: Nullable(Type.String(), {
      description:
        'For a license or an activation: the holder of the license and the end of its key, also after it was deleted. ' +
        'Null otherwise.',
    }),
    request_id: Nullable(Type.String(), { description: 'The id of the request that caused the record.' }),
    ip: Nullable(Type.String(), { description: 'The IP address of the client.' }),
    changes: Type.Array(AuditChange, { description: 'The changed fields; they never contain secrets.' }),
  },
  {
    title: 'AuditRecord',
    description: 'A change, who made it and with which request.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f720',
        occurred_at: '2026-11-20T17:42:00.123456Z',
        event: 'LICENSE.UPDATED',
        actor_type: 'user',
        actor_id: '019a9b1a-0c11-7e02-9d3f-2a5b8c7d6e10',
        actor_name: 'Ada Lovelace',
        actor_created_by: null,
        resource_type: 'license',
        resource_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
        resource_name: 'Grace Hopper · …KMPJT',
        request_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f71f',
        ip: '203.0.113.7',
        changes: [{ field: 'max_activations', old: 3, new: 5 }],
      },
    ],
  },
);

const filters = {
  actor_type: Type.Optional(described(ActorType, 'Return only records of this type of actor.')),
  actor_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The id of the actor: a user, an admin, an API key or an access token.',
    }),
  ),
  resource_type: Type.Optional(
    Type.String({ maxLength: 100, description: 'The type of the affected resource, such as `license`.' }),
  ),
  resource_id: Type.Optional(Type.String({ maxLength: 100, description: 'The id of the affected resource.' })),
  request_id: Type.Optional(
    Type.String({ maxLength: 128, description: 'The id of the request that caused the record.' }),
  ),
  from: Type.Optional(described(TimestampIn, 'Return only records at this time or later.')),
  to: Type.Optional(described(TimestampIn, 'Return only records before this time.')),
};

export const AuditQuery = PageQuery({
  event: Type.Optional(Type.String({ maxLength: 100, description: 'The full event code, such as `LICENSE.RENEWED`.' })),
  ...filters,
});

export const PlatformAuditQuery = PageQuery({
  event: Type.Optional(
    FilterText(
      100,
      'The full event code, such as `TENANT.SUSPENDED`, or a prefix with its dot: `TENANT.` matches all of its codes.',
    ),
  ),
  ...filters,
  ip: Type.Optional(FilterText(64, 'The full IP address of the client.')),
});

// An export has the same filters as the list, but no pages.
const { limit: _limit, cursor: _cursor, ...exportFilters } = AuditQuery.properties;
const { limit: _platformLimit, cursor: _platformCursor, ...platformExportFilters } = PlatformAuditQuery.properties;

export const AuditExportQuery = strictObject({ ...fileQuery, ...exportFilters });

export const PlatformAuditExportQuery = strictObject({ ...fileQuery, ...platformExportFilters });
