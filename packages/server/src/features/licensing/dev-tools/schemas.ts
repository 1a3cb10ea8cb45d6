import { type Static, Type } from 'typebox';
import { apiVersion } from '../../../http/envelope.ts';
import { Nullable, TimestampOut, Uuid } from '../../../http/schema.ts';
import { countedMost, examinedMost } from './queries.ts';

const Environment = Type.Object(
  {
    taken_at: TimestampOut,
    base_url: Type.String({ description: 'The public URL of the service.' }),
    service_version: Type.String(),
    api_version: Type.Literal(apiVersion),
    engine: Type.Union([Type.Literal('embedded'), Type.Literal('postgresql')], {
      description: 'The database of the service.',
    }),
  },
  { title: 'SnapshotEnvironment', description: 'The service that answered.' },
);

const Counts = Type.Object(
  {
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
    active_access_tokens: Type.Integer(),
    members: Type.Integer(),
    unread_notifications: Type.Integer(),
    lower_bounds: Type.Array(Type.String(), {
      description:
        'The names of the counts that are lower bounds: a count stops at ' +
        `${countedMost}, and \`licenses.by_status\` examines only the newest ${examinedMost} licenses.`,
    }),
  },
  { title: 'SnapshotCounts', description: 'How many resources the tenant has.' },
);

const limitUse = (description: string) =>
  Type.Object({ limit: Nullable(Type.Integer()), used: Type.Integer() }, { description });

/** The limits of a plan and their use. */
export const LimitUses = Type.Object(
  {
    products: limitUse('All products.'),
    licenses: limitUse('Licenses that are not deleted.'),
    activations: limitUse('Activations that are active now.'),
    api_keys: limitUse('API keys that are neither revoked nor expired.'),
    members: limitUse('Members of the tenant and open invitations.'),
    webhooks: limitUse('Webhook endpoints that are not deleted.'),
    integration_requests_per_minute: limitUse('Requests in the current minute, as counted by this process.'),
  },
  { title: 'LimitUses', description: 'The limits of the plan (null: unlimited) and the current use.' },
);

const FailedRequest = Type.Object(
  {
    occurred_at: TimestampOut,
    request_id: Type.String(),
    route: Type.String({ description: 'Method and URL pattern, without parameter values such as license keys.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    code: Type.String({ description: 'The error code.' }),
    api_key_id: Nullable(Uuid),
  },
  { title: 'FailedRequest', description: 'A request of the Integration API that failed.' },
);

const WebhookHealth = Type.Object(
  {
    endpoints: Type.Object({ enabled: Type.Integer(), disabled: Type.Integer() }),
    deliveries_of_last_day: Type.Object(
      { pending: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer() },
      { description: `The numbers by current state, each at most ${countedMost}.` },
    ),
    last_failures: Type.Array(
      Type.Object({
        delivery_id: Uuid,
        webhook_id: Uuid,
        event_type: Type.String(),
        failure_reason: Nullable(Type.String()),
        created_at: TimestampOut,
      }),
      { description: 'The last 5 deliveries that failed permanently, newest first.' },
    ),
  },
  { title: 'WebhookHealth', description: 'The endpoints of the tenant and their recent deliveries.' },
);

const Snippets = Type.Object(
  {
    license_id: Nullable(Type.String(), { description: 'The newest license, which the snippets validate.' }),
    product: Nullable(Type.String(), { description: 'The code of its product.' }),
    variables: Type.Record(Type.String(), Type.String(), {
      description: 'The environment variables that a snippet needs, and where to find their values.',
    }),
    curl: Type.String({ description: 'A command for a POSIX shell.' }),
    typescript: Type.String({ description: 'A program for Node, without dependencies.' }),
    python: Type.String({ description: 'A program for Python, without dependencies.' }),
  },
  { title: 'CodeSnippets', description: 'Programs that validate a license of the tenant.' },
);

export const Snapshot = Type.Object(
  {
    environment: Environment,
    counts: Counts,
    limits: LimitUses,
    failed_requests: Type.Array(FailedRequest, {
      description: 'The last 20 Integration requests that failed after authentication, newest first.',
    }),
    webhooks: WebhookHealth,
    snippets: Snippets,
  },
  {
    title: 'DeveloperSnapshot',
    description: 'The state of a tenant for developers: counts, limits, failed requests and webhooks.',
  },
);
export type Snapshot = Static<typeof Snapshot>;
