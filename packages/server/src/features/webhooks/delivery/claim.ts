import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { readEnabledWebhooks } from '../endpoints/service.ts';
import { leaseDeliveries, listEvents, lockDueDeliveries } from './dispatch-queries.ts';
import type { Claimed, Quota } from './endpoint-queue.ts';

/** After so long what a dead process had taken is taken by others. */
export const leaseMs = 30_000;

/** What was taken of one endpoint. */
export interface ClaimedOfEndpoint {
  readonly endpoint: WebhookEndpointsTable;
  readonly taken: readonly Omit<Claimed, 'startBeforeMs'>[];
}

interface ClaimRequest {
  readonly quotas: readonly Quota[];
  readonly leaseId: string;
  readonly now: Timestamp;
}

/** Takes what is due, to each endpoint as much as its quota, and reads what there is to send. */
export async function claimShares(
  tx: TenantTransaction,
  { quotas, leaseId, now }: ClaimRequest,
): Promise<ClaimedOfEndpoint[]> {
  const rows = await readEnabledWebhooks(
    tx,
    quotas.map(({ webhookId }) => webhookId),
  );
  const endpoints = new Map(rows.map((row) => [row.id, row]));
  const locked = [];
  for (const { webhookId, limit } of quotas) {
    const endpoint = endpoints.get(webhookId);
    // It may have been disabled since.
    if (endpoint === undefined) continue;
    locked.push({ endpoint, deliveries: await lockDueDeliveries(tx, { webhookId, now, limit }) });
  }
  const all = locked.flatMap(({ deliveries }) => deliveries);
  if (all.length === 0) return [];
  const ids = all.map(({ id }) => id);
  await leaseDeliveries(tx, ids, leaseId, addSeconds(now, leaseMs / 1000));
  const events = await listEvents(tx, [...new Set(all.map(({ event_id }) => event_id))]);
  const eventsById = new Map(events.map((event) => [event.id, event]));
  return locked.map(({ endpoint, deliveries }) => ({
    endpoint,
    taken: deliveries.map((delivery) => {
      const event = eventsById.get(delivery.event_id);
      if (event === undefined)
        throw new Error(`The delivery ${delivery.id} has no event: its foreign key forbids that.`);
      return { delivery, event };
    }),
  }));
}
