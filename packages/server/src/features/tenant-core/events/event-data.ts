import type { EventType } from './schemas.ts';

/**
 * The shape of `data` for each event type: the resource as the API presents it, without secrets. The feature that
 * records an event declares its shape here by declaration merging, so that this feature needs none of their types:
 *
 *     declare module '../../tenant-core/events/event-data.ts' {
 *       interface EventDataTypes {
 *         'license.created': License;
 *       }
 *     }
 *
 * `EventData` does not compile while an event type has no declaration.
 */
export interface EventDataTypes {
  'webhook.test': { readonly webhook_id: string };
}

/** The type of `data` in an event of this type. */
export type EventData<Type extends EventType> = EventDataTypes[Type];
