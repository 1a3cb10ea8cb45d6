import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { validationError } from '../../../lib/error.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { deliverEvents } from '../../tenant-core/events/service.ts';
import { assertEnabled, auditOf, lockExisting, readWebhook } from '../endpoints/service.ts';
import {
  countRecoverableEvents,
  listRecoverableEvents,
  type RecoverableEvent,
  type RecoveryRange,
  restartDeliveries,
} from './queries.ts';
import type { RecoverWebhook } from './schemas.ts';

/**
 * Events per transaction. A batch takes about ten milliseconds, and an embedded database serves nothing else meanwhile.
 */
const batchSize = 500;

/**
 * Sends the events of a time range that an endpoint has not received: events whose delivery failed, and events from
 * before it subscribed or while it was disabled. Events are stored only while the tenant has an endpoint, so older ones
 * cannot be recovered. Delivered and pending events are skipped, and so are test events.
 *
 * Works in batches, one transaction each; a repeated call continues after an interruption. Returns how many events are
 * sent, or would be sent with `dry_run`. Throws 404, 409 `WEBHOOK.DISABLED`, and 422 for an empty range.
 */
export async function recoverWebhook(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: RecoverWebhook,
): Promise<number> {
  const endpoint = await readWebhook(tenant.db, id);
  assertEnabled(endpoint);
  const range = rangeOf(endpoint, input, services.clock.now());
  if (input.dry_run === true) return await countRecoverableEvents(tenant.db, range);
  let count = 0;
  for (;;) {
    const recovered = await recoverBatch(services, tenant, actor, range, count === 0);
    count += recovered;
    if (recovered < batchSize) return count;
  }
}

function rangeOf(endpoint: WebhookEndpointsTable, input: RecoverWebhook, now: string): RecoveryRange {
  const since = toStoredTimestamp(input.since);
  // At most now: later events are delivered anyway, and the batches must come to an end.
  const until = input.until == null ? now : toStoredTimestamp(input.until);
  if (until <= since) throw validationError({ field: input.until == null ? 'since' : 'until', message: rangeMessage });
  const events: string[] = JSON.parse(endpoint.events_json);
  const types = events[0] === '*' ? null : events;
  return { webhookId: endpoint.id, since, until: until < now ? until : now, types };
}

const rangeMessage = 'must leave a range in the past: since must be before until and not in the future';

function recoverBatch(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  range: RecoveryRange,
  isFirst: boolean,
): Promise<number> {
  return transactWithEvents(services, tenant, async (tx, outbox) => {
    assertEnabled(await lockExisting(tx, range.webhookId));
    const events = await listRecoverableEvents(tx, range, batchSize);
    if (events.length === 0) return 0;
    const at = services.clock.now();
    outbox.expectDeliveries();
    await sendAgain(tx, events, range.webhookId, at);
    if (isFirst) {
      const changes = (['since', 'until'] as const).map((field) => ({ field, old: null, new: range[field] }));
      await recordAudit(tx, actor, { ...auditOf(range.webhookId, 'WEBHOOK.RECOVERED'), changes, at });
    }
    return events.length;
  });
}

async function sendAgain(
  tx: TenantTransaction,
  events: readonly RecoverableEvent[],
  webhookId: string,
  at: string,
): Promise<void> {
  const failed = events.flatMap(({ delivery_id }) => (delivery_id === null ? [] : [delivery_id]));
  if (failed.length > 0) await restartDeliveries(tx, failed, at);
  const missing = events.filter(({ delivery_id }) => delivery_id === null);
  if (missing.length > 0) await deliverEvents(tx, missing, webhookId, at);
}
