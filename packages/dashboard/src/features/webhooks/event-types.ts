import type { components } from '../../api/schema.gen.ts';

export type EventType = components['schemas']['EventType'];

interface EventTypeGroup {
  readonly label: string;
  readonly types: readonly { readonly type: EventType; readonly meaning: string }[];
}

/** The types of events that an endpoint can subscribe to, in the order of the picker. */
export const eventTypeGroups: readonly EventTypeGroup[] = [
  {
    label: 'Licenses',
    types: [
      { type: 'license.created', meaning: 'A license was created or imported.' },
      { type: 'license.updated', meaning: 'A field of a license changed, or its key was rotated.' },
      { type: 'license.suspended', meaning: 'A license stopped being valid until it is reinstated.' },
      { type: 'license.reinstated', meaning: 'A suspended license is valid again.' },
      { type: 'license.revoked', meaning: 'A license ended for good.' },
      { type: 'license.renewed', meaning: 'A license was extended.' },
      { type: 'license.converted', meaning: 'A trial got the policy that was bought.' },
      { type: 'license.expiring', meaning: 'A license expires within the days of the settings.' },
      { type: 'license.expired', meaning: 'A license has expired.' },
      { type: 'license.deleted', meaning: 'A license was deleted.' },
    ],
  },
  {
    label: 'Activations',
    types: [
      { type: 'activation.created', meaning: 'A device was activated.' },
      { type: 'activation.deactivated', meaning: 'A device released its seat.' },
      { type: 'activation.expired', meaning: 'A lease ran out without a heartbeat.' },
      { type: 'activation.limit_reached', meaning: 'A device was refused because every seat is taken.' },
    ],
  },
  {
    label: 'Usage',
    types: [{ type: 'entitlement.limit_reached', meaning: 'A license used up a metered entitlement.' }],
  },
  {
    label: 'API keys',
    types: [
      { type: 'api_key.created', meaning: 'An API key was created.' },
      { type: 'api_key.revoked', meaning: 'An API key was revoked.' },
    ],
  },
  {
    label: 'Webhooks',
    types: [
      { type: 'webhook.disabled', meaning: 'The service disabled an endpoint that kept failing.' },
      { type: 'webhook.test', meaning: 'Somebody pressed “Send test event”; it is sent whatever you choose here.' },
    ],
  },
];

/** All types of events. */
export const eventTypes: readonly EventType[] = eventTypeGroups.flatMap(({ types }) => types.map(({ type }) => type));
