import { type Static, Type } from 'typebox';
import { apiVersion } from '../../../http/envelope.ts';
import { Nullable, TimestampOut, Uuid } from '../../../http/schema.ts';
import { countedMost, examinedMost } from './queries.ts';

const Environment = Type.Object({
  taken_at: TimestampOut,
  base_url: Type.String({ description: 'Where the service is reached.' }),
  service_version: Type.String(),
  api_version: Type.Literal(apiVersion),
  engine: Type.Union([Type.Literal('embedded'), Type.Literal('postgresql')]),
});

const Counts = Type.Object({
  products: Type.Integer(),
  policies: Type.Integer(),
  entitlements: Type.Integer(),
  licenses: Type.Object({
    total: Type.Integer(),
    by_status: Type.Object({
      pending: Type.Integer(),
      active: Type.Integer(),
      suspended: Type.Integer(),
      revoked: Type.Integer(),
      expired: Type.Integer(),
    }),
  }),
  active_activations: Type.Integer(),
  active_api_keys: Type.Integer(),
  members: Type.Integer(),
  unread_notifications: Type.Integer(),
  lower_bounds: Type.Array(Type.String(), {
    description:
      'Names of the counts that stopped early, so that a large tenant is not kept waiting: there are at least so many. ' +
      `A count stops at ${countedMost}; \`licenses.by_status\` looks at the newest ${examinedMost}.`,
  }),
});

const limitUse = (description: string) =>
  Type.Object({ limit: Nullable(Type.Integer()), used: Type.Integer() }, { description });

const Limits = Type.Object({
  products: limitUse('All products.'),
  licenses: limitUse('Licenses that are not deleted.'),
  activations: limitUse('Activations that count at this moment.'),
  api_keys: limitUse('API keys that are neither revoked nor expired.'),
  members: limitUse('Everybody who may enter the tenant, and those whose invitation is open.'),
  webhooks: limitUse('Webhook endpoints that are not deleted.'),
  integration_requests_per_minute: limitUse('Requests of the current minute, as this process counts them.'),
});

const FailedRequest = Type.Object({
  occurred_at: TimestampOut,
  request_id: Type.String(),
  route: Type.String({ description: 'Method and pattern; what was filled in, such as a license key, is left out.' }),
  status: Type.Integer(),
  code: Type.String(),
  api_key_id: Nullable(Uuid),
});

const WebhookHealth = Type.Object({
  endpoints: Type.Object({ enabled: Type.Integer(), disabled: Type.Integer() }),
  deliveries_of_last_day: Type.Object(
    { pending: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer() },
    { description: `By their state now; each counts up to ${countedMost}.` },
  ),
  last_failures: Type.Array(
    Type.Object({
      delivery_id: Uuid,
      webhook_id: Uuid,
      event_type: Type.String(),
      failure_reason: Nullable(Type.String()),
      created_at: TimestampOut,
    }),
    { description: 'The last 5 deliveries that failed for good, the newest first.' },
  ),
});

const Snippets = Type.Object({
  license_id: Nullable(Type.String({ description: 'The newest license, which the snippets are about.' })),
  product: Nullable(Type.String({ description: 'The code of its product.' })),
  variables: Type.Record(Type.String(), Type.String(), {
    description: 'What to set in the environment before running a snippet, and where to find it.',
  }),
  curl: Type.String({ description: 'For a POSIX shell.' }),
  typescript: Type.String({ description: 'A program for Node, without dependencies.' }),
});

export const Snapshot = Type.Object({
  environment: Environment,
  counts: Counts,
  limits: Type.Object(Limits.properties, {
    description: 'What the plan allows (null: any number), and how much of it is used.',
  }),
  failed_requests: Type.Array(FailedRequest, {
    description: 'The last 20 Integration requests that failed after their API key was known, the newest first.',
  }),
  webhooks: WebhookHealth,
  snippets: Snippets,
});
export type Snapshot = Static<typeof Snapshot>;
