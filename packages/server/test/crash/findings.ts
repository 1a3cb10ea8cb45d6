import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import type { Received } from '../support/webhook-receiver.ts';
import { type Attempt, type ChangeCode, type Consumption, reported } from './journal.ts';

/** An audit record in the form of the API. */
export interface AuditRecord {
  readonly event: string;
  readonly resource_id: string;
  readonly request_id: string;
}

/** A license in the form of the API. */
export interface ListedLicense {
  readonly id: string;
  readonly status: string;
  readonly activations_count: number;
  readonly deactivations_count: number;
}

/** An activation in the form of the API. */
export interface ListedActivation {
  readonly id: string;
  readonly license_id: string;
}

/** A delivery in the form of the API. */
export interface ListedDelivery {
  readonly event_id: string;
  readonly event_type: string;
  readonly status: string;
}

/** The final state of one tenant: its data, and the messages that the receiver of its webhooks has. */
export interface Evidence {
  readonly tenantId: string;
  readonly secret: string;
  readonly attempts: readonly Attempt[];
  readonly received: readonly Received[];
  readonly deliveries: readonly ListedDelivery[];
  readonly audit: readonly AuditRecord[];
  readonly licenses: readonly ListedLicense[];
  readonly activations: readonly ListedActivation[];
  readonly consumptions: readonly Consumption[];
  /** The counters of existing licenses, by license id. */
  readonly usage: ReadonlyMap<string, number>;
}

interface ReportedEvent {
  readonly id: string;
  readonly type: string;
  readonly tenant_id: string;
  readonly request_id: string;
  readonly data: { readonly id: string; readonly license_id?: string };
}

/** Returns a sentence per problem; empty if the data, the audit log and the deliveries match the responses. */
export function findFaults(evidence: Evidence): string[] {
  const changes = evidence.audit.filter(({ event }) => event in reported);
  const events = distinctEvents(evidence.received);
  const byRequest = Map.groupBy(changes, (change) => change.request_id);
  return [
    ...badDeliveries(evidence),
    ...unfinishedDeliveries(evidence),
    ...disagreements(changes, events),
    ...repeatedRefusals(events),
    ...evidence.attempts.flatMap((attempt) => wrongOutcomes(attempt, byRequest)),
    ...wrongLicenses(evidence, changes),
    ...wrongUsage(evidence),
  ];
}

function distinctEvents(received: readonly Received[]): ReportedEvent[] {
  return [...new Map(received.map(({ body }) => [JSON.parse(body).id, JSON.parse(body)])).values()];
}

/** Verifies a signature with the standard's own library, at the time that the delivery states. */
function badDeliveries({ received, secret, tenantId }: Evidence): string[] {
  const webhook = new Webhook(secret);
  try {
    return received.flatMap(({ headers, body }) => {
      const id = headers['webhook-id'];
      vi.setSystemTime(Number(headers['webhook-timestamp']) * 1000);
      try {
        webhook.verify(body, headers as Record<string, string>);
      } catch (error) {
        return [`The delivery of ${id} has no valid signature: ${String(error)}`];
      }
      const delivered: ReportedEvent = JSON.parse(body);
      const isOwn = delivered.id === id && delivered.tenant_id === tenantId;
      return isOwn ? [] : [`The delivery of ${id} contains event ${delivered.id} of tenant ${delivered.tenant_id}.`];
    });
  } finally {
    vi.useRealTimers();
  }
}

/** Checks that exactly the deliveries that arrived are recorded as succeeded. */
function unfinishedDeliveries({ deliveries, received }: Evidence): string[] {
  const arrived = new Set(received.map(({ headers }) => headers['webhook-id']));
  return deliveries.flatMap(({ event_id, event_type, status }) => {
    if (status === 'succeeded' && arrived.has(event_id)) return [];
    const arrival = arrived.has(event_id) ? 'arrived' : 'never arrived';
    return [`The delivery of ${event_type} (${event_id}) has the status ${status} and ${arrival}.`];
  });
}

/** Checks that changes and events match one to one; they are compared by the id of their request. */
function disagreements(changes: readonly AuditRecord[], events: readonly ReportedEvent[]): string[] {
  const balance = new Map<string, number>();
  const add = (change: string, amount: number) => balance.set(change, (balance.get(change) ?? 0) + amount);
  for (const { event, resource_id, request_id } of changes) {
    add(`${reported[event as ChangeCode]} of ${resource_id} by ${request_id}`, -1);
  }
  for (const { type, data, request_id } of events) {
    if (type !== refusalType) add(`${type} of ${data.id} by ${request_id}`, 1);
  }
  return [...balance].flatMap(([change, surplus]) => {
    if (surplus === 0) return [];
    return surplus < 0 ? [`No event reports ${change}.`] : [`${surplus} too many events report ${change}.`];
  });
}

/** Of an activation that was refused. It changes nothing that the audit log contains. */
const refusalType = 'activation.limit_reached';

/** Checks that the refusals of a license were reported at most once a day. A run may see two days. */
function repeatedRefusals(events: readonly ReportedEvent[]): string[] {
  const refusals = events.filter(({ type }) => type === refusalType);
  const byLicense = Map.groupBy(refusals, ({ data }) => data.license_id);
  return [...byLicense].flatMap(([license, { length }]) =>
    length > 2 ? [`The refusals of ${license} were reported ${length} times.`] : [],
  );
}

/** Checks that changes with a 2xx were made once, and refused ones never. Without a response both are correct. */
function wrongOutcomes(
  { code, requestIds, outcome, resourceId }: Attempt,
  byRequest: ReadonlyMap<string, readonly AuditRecord[]>,
): string[] {
  const made = requestIds.flatMap((id) => byRequest.get(id) ?? []).filter(({ event }) => event === code);
  const name = `${code} by ${requestIds.join(', ')}`;
  if (made.length > 1) return [`The change ${name} was made ${made.length} times.`];
  if (outcome === 'unchanged' && made.length > 0) return [`The change ${name} was refused, but it was made.`];
  if (outcome === 'changed' && made[0]?.resource_id !== resourceId)
    return [`The change ${name} was acknowledged, but it is lost.`];
  return [];
}

/** Checks that the licenses have the state that follows from their audit records. */
function wrongLicenses({ licenses, activations }: Evidence, changes: readonly AuditRecord[]): string[] {
  const idsByCode = Map.groupBy(changes, ({ event }) => event);
  const ids = (code: ChangeCode) => (idsByCode.get(code) ?? []).map((change) => change.resource_id);
  const deleted = new Set(ids('LICENSE.DELETED'));
  const existing = ids('LICENSE.CREATED').filter((id) => !deleted.has(id));
  const faults: string[] = [];
  if (
    existing.toSorted().join() !==
    licenses
      .map(({ id }) => id)
      .toSorted()
      .join()
  ) {
    faults.push(`${existing.length} licenses were created and not deleted, but the list has ${licenses.length}.`);
  }
  const activated = new Set(ids('ACTIVATION.CREATED'));
  const unaudited = activations.filter(({ id }) => !activated.has(id));
  if (unaudited.length > 0) faults.push(`${unaudited.length} activations have no audit record.`);
  const suspensions = countEach(ids('LICENSE.SUSPENDED'));
  const reinstatements = countEach(ids('LICENSE.REINSTATED'));
  const deactivated = new Set(ids('ACTIVATION.DEACTIVATED'));
  const activationsOf = Map.groupBy(activations, ({ license_id }) => license_id);
  for (const { id, status, activations_count, deactivations_count } of licenses) {
    const isSuspended = (suspensions.get(id) ?? 0) > (reinstatements.get(id) ?? 0);
    if (status !== (isSuspended ? 'suspended' : 'active'))
      faults.push(`License ${id} is ${status}, unlike in the audit.`);
    const own = activationsOf.get(id) ?? [];
    const active = own.filter((activation) => !deactivated.has(activation.id)).length;
    if (activations_count !== active)
      faults.push(`License ${id} counts ${activations_count} activations, but has ${active}.`);
    if (deactivations_count !== own.length - active) faults.push(`License ${id} has a wrong count of deactivations.`);
  }
  return faults;
}

function countEach(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
}

/** Checks that the counters of usage contain exactly the accepted reports. Without a response both are correct. */
export function wrongUsage({ consumptions, usage }: Pick<Evidence, 'consumptions' | 'usage'>): string[] {
  return consumptions.flatMap(({ licenseId, counted, unknown }) => {
    const found = usage.get(licenseId);
    if (found === undefined || (found >= counted && found <= counted + unknown)) return [];
    return [`License ${licenseId} counts ${found} calls: ${counted} were accepted, ${unknown} had no response.`];
  });
}
