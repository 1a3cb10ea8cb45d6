import type { EventsTable } from '../../../db/tables/tenant/webhooks.ts';

const apiVersion = '1';

/** The body of every attempt to deliver an event: byte for byte the same each time. */
export function messageBody(event: EventsTable, tenantId: string): string {
  const { id, type, occurred_at, request_id, data_json } = event;
  const head = { id, type, occurred_at, tenant_id: tenantId, request_id, api_version: apiVersion };
  // `data` is stored as JSON: there is no need to read it only to write it again.
  return `${JSON.stringify(head).slice(0, -1)},"data":${data_json}}`;
}
