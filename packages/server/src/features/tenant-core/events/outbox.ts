import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { notificationMailJobKind } from '../notifications/notification.ts';
import { notify, type ServiceNotification } from '../notifications/service.ts';
import { deliveryJobKind, deliveryRepairJobKind } from './event.ts';
import type { EventData } from './event-data.ts';
import type { EventType } from './schemas.ts';
import { type NewEvent, recordEvent, recordEvents } from './service.ts';

export type EventServices = Pick<Services, 'clock' | 'wakeUps'>;

/** What one transaction has to tell: its events, and the background work that it makes. */
export class Outbox {
  readonly #tx: TenantTransaction;
  readonly #wakeUps: { readonly kind: string; readonly dueAt: Timestamp }[] = [];
  #hasDeliveries = false;

  constructor(tx: TenantTransaction) {
    this.#tx = tx;
  }

  /** True when deliveries wait that nobody was told of yet. */
  get hasDeliveries(): boolean {
    return this.#hasDeliveries;
  }

  /** The wakeUps to note once the transaction is committed. */
  get wakeUps(): readonly { readonly kind: string; readonly dueAt: Timestamp }[] {
    return this.#wakeUps;
  }

  /** Writes an event and its deliveries. */
  async record<const Type extends EventType>(event: NewEvent<Type>): Promise<void> {
    if ((await recordEvent(this.#tx, event)) > 0) this.expectDeliveries();
  }

  /** Writes an event for each of many resources, and their deliveries. */
  async recordAll<const Type extends EventType>(event: NewEvent<Type, readonly EventData<Type>[]>): Promise<void> {
    if ((await recordEvents(this.#tx, event)) > 0) this.expectDeliveries();
  }

  /** Writes a notification, to be mailed too. False when the same occurrence was told before. */
  async notify(notification: ServiceNotification): Promise<boolean> {
    const isNew = await notify(this.#tx, notification);
    if (isNew) this.wakeUp(notificationMailJobKind, notification.at);
    return isNew;
  }

  /** Notes that deliveries are to be sent, or to be ended. */
  expectDeliveries(): void {
    this.#hasDeliveries = true;
  }

  /** Notes background work of another kind, due at a moment; null is never. */
  wakeUp(kind: string, dueAt: Timestamp | null): void {
    if (dueAt !== null) this.#wakeUps.push({ kind, dueAt });
  }
}

type Work<Result> = (tx: TenantTransaction, outbox: Outbox) => Promise<Result>;

/**
 * Runs `work` in one transaction of a tenant (`bulk`: see `bulkTransaction`) and has its events sent right after the
 * commit. Before the commit it is made sure that somebody looks for them within a minute even if this process dies:
 * of the two databases that is the order in which nothing gets lost.
 */
export async function transactWithEvents<Result>(
  { clock, wakeUps }: EventServices,
  tenant: Pick<Tenant, 'id' | 'db'>,
  work: Work<Result>,
  { bulk = false } = {},
): Promise<Result> {
  let outbox: Outbox | undefined;
  const whole = async (tx: TenantTransaction) => {
    outbox = new Outbox(tx);
    const result = await work(tx, outbox);
    if (outbox.hasDeliveries) await wakeUps.scheduleBeforeCommit(tenant.id, deliveryRepairJobKind);
    return result;
  };
  const result = await (bulk ? tenant.db.bulkTransaction(whole) : tenant.db.transaction(whole));
  if (outbox?.hasDeliveries) wakeUps.scheduleAfterCommit(tenant.id, deliveryJobKind, clock.now());
  for (const { kind, dueAt } of outbox?.wakeUps ?? []) wakeUps.scheduleAfterCommit(tenant.id, kind, dueAt);
  return result;
}
