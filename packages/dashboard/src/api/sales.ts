import { liveMs } from './connections.ts';
import { onSurface } from './endpoints.ts';
import type { components } from './schema.gen.ts';

export type SaleEvent = components['schemas']['SaleEvent'];
export type Sale = components['schemas']['Sale'];

/** Reads one page of the messages of a shop. */
export const eventsQuery = onSurface.list(
  '/api/v1/tenant/connections/{id}/events',
  ['connections', '{id}', 'events', 'list'],
  { refetchInterval: liveMs },
);

/** Reads one message with what it did. */
export const eventQuery = onSurface.one(
  '/api/v1/tenant/connections/{id}/events/{event_id}',
  ['connections', '{id}', 'events'],
  { refetchInterval: 1_000 },
);

/** Applies a message again. */
export const retryEvent = onSurface.POST('/api/v1/tenant/connections/{id}/events/{event_id}/retry');

/** Reads one page of the sales of a shop. */
export const salesQuery = onSurface.list(
  '/api/v1/tenant/connections/{id}/sales',
  ['connections', '{id}', 'sales', 'list'],
  { refetchInterval: liveMs },
);

/** Reads one sale. */
export const saleQuery = onSurface.one(
  '/api/v1/tenant/connections/{id}/sales/{sale_id}',
  ['connections', '{id}', 'sales'],
  { refetchInterval: liveMs },
);

/** Gives a sale the licenses that it entitles its buyer to. */
export const applySale = onSurface.POST('/api/v1/tenant/connections/{id}/sales/{sale_id}/apply');

/** Reads the sale that issued a license; null if none did. */
export const saleOfLicenseQuery = onSurface.one('/api/v1/tenant/licenses/{id}/sale', ['licenses', '{id}', 'sale']);

/** Sends a signed message about an invented sale to the connection's own address. */
export const sendTestSale = onSurface.POST('/api/v1/tenant/connections/{id}/test-sale');
