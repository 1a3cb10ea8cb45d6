import type { Surface } from '../surfaces.ts';
import { detailed } from './body.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Activation = Required<components['schemas']['ActivationDetails']>;

/** Query-key prefix of activations. */
export const activationsKey = (surface: Surface) => keyOf(surface, 'activations');

/** Reads one page of activations. Devices come and go, so it is read again while somebody looks at it. */
export const activationsQuery = onSurface.list('/api/v1/tenant/activations', ['activations', 'list'], {
  query: { include: 'details' },
  select: (page) => ({ ...page, data: page.data.map(detailed) }),
  refetchInterval: 10_000,
});

/** Frees the seat of a device. */
export const deactivate = onSurface.DELETE('/api/v1/tenant/activations/{id}');
