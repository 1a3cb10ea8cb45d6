import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import { createCopies } from '../../../features/licensing/activations/copied-service.ts';
import { issueCopies } from '../../../features/licensing/licenses/copied-service.ts';
import { createPastUsage } from '../../../features/licensing/usage/counters-service.ts';
import { type AuditEntry, recordAudits } from '../../../features/tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../../features/tenant-core/events/outbox.ts';
import { createPastEvents } from '../../../features/tenant-core/events/service.ts';
import { createPastNotifications } from '../../../features/tenant-core/notifications/service.ts';
import { recountUse } from '../../../features/tenant-core/plan-limits/service.ts';
import { createPastAttempts } from '../../../features/webhooks/delivery/service.ts';
import { createPastEndpoint } from '../../../features/webhooks/endpoints/service.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { planActivations } from './activations.ts';
import { planUsage } from './activity.ts';
import type { DemoCatalog } from './catalog.ts';
import { planDeliveries, planEndpoints, planEvents } from './deliveries.ts';
import { type DemoLicense, planLicenses } from './licenses.ts';
import { planNotifications } from './notifications.ts';
import { dayMs, type Present } from './past.ts';
import type { Random } from './random.ts';

interface HistoryInput {
  readonly random: Random;
  readonly present: Present;
  readonly catalog: DemoCatalog;
  /** The users who manage the licenses. */
  readonly managers: readonly Actor[];
  /** The API key with which the licensed software activates. */
  readonly software: Actor;
}

/**
 * Writes the past of a new tenant in one transaction: licenses, activations, usage, events with their deliveries,
 * notifications, and the audit records of all of it. Each feature writes its own tables, at times in the past.
 */
export async function writeHistory(services: Services, tenant: Tenant, input: HistoryInput): Promise<void> {
  const { random, present, catalog } = input;
  const licenses = planLicenses(random, present, catalog);
  const activations = planActivations(random, present, catalog, licenses);
  const counted = withDeactivations(licenses, activations);
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    await writeLicenses(services, tx, outbox, counted, input);
    for (const row of activations) {
      await createCopies(tx, outbox, [row], { actor: input.software, at: row.created_at, publishes: false });
    }
    await recordAudits(tx, input.software, releases(activations));
    const options = { timezone: 'UTC', hoursSinceMs: present.nowMs - 7 * dayMs };
    await createPastUsage(tx, planUsage(random, present, counted), options);
    await writeWebhooks(services, tx, counted, activations, input);
    await createPastNotifications(tx, planNotifications(present));
  });
  await recountUse(tenant.db);
}

/** Self-service deactivations are counted in the license. */
function withDeactivations(
  licenses: readonly DemoLicense[],
  activations: readonly ActivationsTable[],
): readonly DemoLicense[] {
  const counts = new Map<string, number>();
  for (const { license_id, release_reason } of activations) {
    if (release_reason === 'deactivated') counts.set(license_id, (counts.get(license_id) ?? 0) + 1);
  }
  return licenses.map((license) => {
    const deactivations_count = counts.get(license.row.id) ?? 0;
    return { ...license, row: { ...license.row, deactivations_count } };
  });
}

async function writeLicenses(
  services: Services,
  tx: TenantTransaction,
  outbox: Outbox,
  licenses: readonly DemoLicense[],
  { random, managers }: HistoryInput,
): Promise<void> {
  for (const { row, changedAt } of licenses) {
    const actor = random.pick(managers);
    await issueCopies(services, tx, outbox, [row], { actor, at: row.created_at, publishes: false });
    if (changedAt === null) continue;
    const event = row.status === 'suspended' ? 'LICENSE.SUSPENDED' : 'LICENSE.REVOKED';
    const changes = [{ field: 'status', old: 'active', new: row.status }];
    const entry = { event, resourceType: 'license', resourceId: row.id, changes, at: changedAt };
    await recordAudits(tx, random.pick(managers), [entry]);
  }
}

function releases(activations: readonly ActivationsTable[]): AuditEntry[] {
  return activations.flatMap(({ id, released_at, release_reason }) => {
    if (released_at === null) return [];
    const event = release_reason === 'lease_expired' ? 'ACTIVATION.EXPIRED' : 'ACTIVATION.DEACTIVATED';
    return [{ event, resourceType: 'activation', resourceId: id, at: released_at satisfies Timestamp }];
  });
}

async function writeWebhooks(
  { keyring }: Services,
  tx: TenantTransaction,
  licenses: readonly DemoLicense[],
  activations: readonly ActivationsTable[],
  { random, present, managers }: HistoryInput,
): Promise<void> {
  const events = planEvents(present, licenses, activations);
  const histories = [];
  for (const plan of planEndpoints(present)) {
    const id = await createPastEndpoint(tx, keyring, plan.endpoint);
    const entry = { event: 'WEBHOOK.CREATED', resourceType: 'webhook', resourceId: id };
    await recordAudits(tx, random.pick(managers), [{ ...entry, at: plan.endpoint.created_at }]);
    histories.push(planDeliveries(random, present, id, plan, events));
  }
  const deliveries = histories.flatMap((history) => history.deliveries);
  await createPastEvents(tx, events, deliveries);
  await createPastAttempts(
    tx,
    histories.flatMap((history) => history.attempts),
  );
}
