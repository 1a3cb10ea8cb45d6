import { type Static, Type } from 'typebox';

/** The types of events that are delivered to a tenant's webhook endpoints. */
const eventTypes = [
  'license.created',
  'license.updated',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
  'license.renewed',
  'license.converted',
  'license.expiring',
  'license.expired',
  'license.deleted',
  'activation.created',
  'activation.deactivated',
  'activation.expired',
  'activation.limit_reached',
  'entitlement.limit_reached',
  'release.published',
  'release.yanked',
  'api_key.created',
  'api_key.revoked',
  'webhook.disabled',
  'webhook.secret_rotated',
  'webhook.test',
] as const;

export type EventType = (typeof eventTypes)[number];

/** The schema of one event type, for filters. */
export const EventTypeName = Type.Enum([...eventTypes], {
  title: 'EventType',
  description: 'The type of an event.',
});

const EventTypeOrAll = Type.Enum(['*', ...eventTypes], {
  title: 'EventTypeOrAll',
  description: 'A type of event, or `*` for all types.',
});

/** Returns the schema of a subscription: event types, or `*` for all types, including types added later. */
export function EventSubscription(description: string) {
  return Type.Refine(
    Type.Array(EventTypeOrAll, {
      minItems: 1,
      maxItems: eventTypes.length,
      uniqueItems: true,
      description,
      examples: [['license.created', 'license.revoked']],
    }),
    (types) => types.length === 1 || !types.includes('*'),
    () => 'Send ["*"], or name the events.',
  );
}

export type EventSubscription = Static<ReturnType<typeof EventSubscription>>;
