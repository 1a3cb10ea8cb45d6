import { type TSchema, Type } from 'typebox';
import { ApiKey } from '../features/accounts/api-keys/schemas.ts';
import { Activation } from '../features/licensing/activations/schemas.ts';
import { ActivationRefusal } from '../features/licensing/device-history/schemas.ts';
import { License } from '../features/licensing/licenses/schemas.ts';
import { LimitReached } from '../features/licensing/usage/schemas.ts';
import { verdictCatalog } from '../features/licensing/validation/verdict-catalog.ts';
import { Webhook } from '../features/webhooks/endpoints/schemas.ts';
import type { DocumentParts } from '../http/openapi-document.ts';
import { TimestampOut, Uuid } from '../http/schema.ts';

const TestData = Type.Object({ webhook_id: Uuid });

/** The types of events by the shape of their data, with what happened. */
const groups = {
  LicenseEvent: {
    data: License,
    types: {
      'license.created': 'A license was created.',
      'license.updated': 'A license was changed.',
      'license.suspended': 'A license was suspended.',
      'license.reinstated': 'A suspended license was reinstated.',
      'license.revoked': 'A license was revoked.',
      'license.renewed': 'A license was renewed.',
      'license.converted': 'A trial was converted: the license has the policy that was bought.',
      'license.expiring': 'A license expires soon.',
      'license.expired': 'A license has expired.',
      'license.deleted': 'A license was deleted.',
    },
  },
  ActivationEvent: {
    data: Activation,
    types: {
      'activation.created': 'A device was activated.',
      'activation.deactivated': 'A device was deactivated.',
      'activation.expired': 'The lease of an activation has ended.',
    },
  },
  ActivationRefusalEvent: {
    data: ActivationRefusal,
    types: { 'activation.limit_reached': 'A device was refused because every seat of a license is taken.' },
  },
  EntitlementEvent: {
    data: LimitReached,
    types: { 'entitlement.limit_reached': 'The usage of a license has reached the limit of an entitlement.' },
  },
  ApiKeyEvent: {
    data: ApiKey,
    types: { 'api_key.created': 'An API key was created.', 'api_key.revoked': 'An API key was revoked.' },
  },
  WebhookEndpointEvent: {
    data: Webhook,
    types: {
      'webhook.disabled': 'The service has disabled an endpoint, or a caller has.',
      'webhook.secret_rotated': 'The secret of an endpoint was replaced.',
    },
  },
  TestEvent: { data: TestData, types: { 'webhook.test': 'A caller has sent a test event to an endpoint.' } },
} as const;

function eventSchema(title: string, types: readonly string[], data: TSchema) {
  return Type.Object(
    {
      id: Type.String({
        description: 'The id of the event. It is the same in every attempt: use it to drop repetitions.',
      }),
      type: Type.Enum([...types]),
      occurred_at: TimestampOut,
      tenant_id: Uuid,
      request_id: Type.Union([Type.String(), Type.Null()], {
        description: 'The request that caused the event; null for work of the service itself.',
      }),
      api_version: Type.Literal('1'),
      data,
    },
    { title, description: 'A delivery to a webhook endpoint, signed as Standard Webhooks specifies.' },
  );
}

const eventSchemas = Object.entries(groups).map(([title, { data, types }]) =>
  eventSchema(title, Object.keys(types), data),
);

const WebhookEvent = Type.Union(eventSchemas, {
  title: 'WebhookEvent',
  description: 'The body of a delivery. Later versions add types of events: ignore those that you do not know.',
});

/**
 * What the OpenAPI document has beyond the routes: the events of webhooks, and the meanings of verdicts and events. Those of
 * the error codes, 4 KB of it compressed, are in the guide to errors.
 */
export const documentParts: DocumentParts = {
  enumMeanings: {
    VerdictCode: Object.fromEntries(verdictCatalog.map(({ code, meaning, remedy }) => [code, `${meaning} ${remedy}`])),
    EventType: Object.assign({}, ...Object.values(groups).map(({ types }) => types)),
  },
  event: WebhookEvent,
};
