import type { EventsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';

const apiVersion = '1';

/** The media type of the body of a delivery. */
export const messageMediaType = 'application/json';

/** Returns the body of a delivery. It is identical, byte for byte, in every attempt. */
export function messageBody(event: EventsTable, tenantId: string): string {
  const { id, type, occurred_at, request_id, data_json } = event;
  const head = { id, type, occurred_at, tenant_id: tenantId, request_id, api_version: apiVersion };
  // `data` is stored as JSON text, so it is inserted without parsing.
  return `${JSON.stringify(head).slice(0, -1)},"data":${data_json}}`;
}

/** Returns the `webhook-timestamp` of an attempt that began at `at`: whole seconds since 1970. */
export function messageTimestamp(at: Timestamp): string {
  return String(Math.floor(Date.parse(at) / 1000));
}
