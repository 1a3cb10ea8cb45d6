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
      { type: 'license.updated', meaning: 'A field of a license changed, or its key was replaced.' },
      { type: 'license.suspended', meaning: 'A license was suspended until it is reinstated.' },
      { type: 'license.reinstated', meaning: 'A suspended license is valid again.' },
      { type: 'license.revoked', meaning: 'A license was permanently revoked.' },
      { type: 'license.renewed', meaning: 'A license was extended.' },
      { type: 'license.converted', meaning: 'A trial was converted to a purchased policy.' },
      { type: 'license.expiring', meaning: 'A license expires soon, as defined in the settings.' },
      { type: 'license.expired', meaning: 'A license has expired.' },
      { type: 'license.deleted', meaning: 'A license was deleted.' },
    ],
  },
  {
    label: 'Devices',
    types: [
      { type: 'activation.created', meaning: 'A device was activated.' },
      { type: 'activation.deactivated', meaning: 'A device was released.' },
      { type: 'activation.expired', meaning: 'A device was released by itself, because it sent no heartbeat.' },
      {
        type: 'activation.limit_reached',
        meaning: 'A device was refused because all devices of a license are in use.',
      },
    ],
  },
  {
    label: 'Usage',
    types: [{ type: 'entitlement.limit_reached', meaning: 'A license used up a metered entitlement.' }],
  },
  {
    label: 'Releases',
    types: [
      { type: 'release.published', meaning: 'A release was published.' },
      { type: 'release.yanked', meaning: 'A published release was yanked.' },
    ],
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
      { type: 'webhook.secret_rotated', meaning: 'The secret of an endpoint was replaced.' },
      {
        type: 'webhook.test',
        meaning: 'A member selected “Send test event”. Every endpoint receives it, regardless of your choice here.',
      },
    ],
  },
];

/** All types of events. */
export const eventTypes: readonly EventType[] = eventTypeGroups.flatMap(({ types }) => types.map(({ type }) => type));
