import { type Static, Type } from 'typebox';

/** What happens in a tenant and is told to its webhook endpoints. */
const eventTypes = [
  'license.created',
  'license.updated',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
  'license.renewed',
  'license.expiring',
  'license.expired',
  'license.deleted',
  'activation.created',
  'activation.deactivated',
  'activation.expired',
  'entitlement.limit_reached',
  'api_key.created',
  'api_key.revoked',
  'webhook.disabled',
  'webhook.test',
] as const;

export type EventType = (typeof eventTypes)[number];

/** One type of event, for filters. */
export const EventTypeName = Type.Enum([...eventTypes]);

/** What a webhook endpoint subscribes to; `*` is all of it, of later versions too. */
export function EventSubscription(description: string) {
  return Type.Refine(
    Type.Array(Type.Enum(['*', ...eventTypes]), {
      minItems: 1,
      maxItems: eventTypes.length,
      uniqueItems: true,
      description,
    }),
    (types) => types.length === 1 || !types.includes('*'),
    () => 'must be ["*"] or name the events',
  );
}

export type EventSubscription = Static<ReturnType<typeof EventSubscription>>;
