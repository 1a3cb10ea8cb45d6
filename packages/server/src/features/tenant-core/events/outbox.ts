import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { holderMailJobKind, holderMailRepairJobKind } from '../holder-mail-queue/holder-mail.ts';
import { notificationMailJobKind, notify, type ServiceNotification } from '../notifications/service.ts';
import { deliveryJobKind, deliveryRepairJobKind, type EventData } from './event.ts';
import type { EventType } from './schemas.ts';
import { type NewEvent, recordEvent, recordEvents } from './service.ts';

/** Collects the effects of one transaction: it writes events and notifications, and gathers wake-ups for jobs. */
export class Outbox {
  readonly #tx: TenantTransaction;
  readonly #wakeUps: { readonly kind: string; readonly dueAt: Timestamp }[] = [];
  #hasDeliveries = false;
  #hasHolderMails = false;

  constructor(tx: TenantTransaction) {
    this.#tx = tx;
  }

  /** True if the transaction has created deliveries to send or to end. */
  get hasDeliveries(): boolean {
    return this.#hasDeliveries;
  }

  /** True if the transaction has queued mails to license holders. */
  get hasHolderMails(): boolean {
    return this.#hasHolderMails;
  }

  /** The wake-ups of other jobs, to be scheduled once the transaction is committed. */
  get wakeUps(): readonly { readonly kind: string; readonly dueAt: Timestamp }[] {
    return this.#wakeUps;
  }

  /** Writes an event and its deliveries; see `recordEvent`. */
  async record<const Type extends EventType>(event: NewEvent<Type>): Promise<void> {
    if ((await recordEvent(this.#tx, event)) > 0) this.expectDeliveries();
  }

  /** Writes one event of the same type for each of several resources, and their deliveries. */
  async recordAll<const Type extends EventType>(event: NewEvent<Type, readonly EventData<Type>[]>): Promise<void> {
    if ((await recordEvents(this.#tx, event)) > 0) this.expectDeliveries();
  }

  /** Writes a notification and schedules its mail. Returns false if the occurrence was notified before. */
  async notify(notification: ServiceNotification): Promise<boolean> {
    const isNew = await notify(this.#tx, notification);
    if (isNew) this.wakeUp(notificationMailJobKind, notification.at);
    return isNew;
  }

  /** Requests a run of the delivery job after the commit, to send or to end deliveries. */
  expectDeliveries(): void {
    this.#hasDeliveries = true;
  }

  /** Requests a run of the job that sends mails to license holders after the commit. `queueHolderMail` calls it. */
  expectHolderMails(): void {
    this.#hasHolderMails = true;
  }

  /** Requests a run of a job of another kind at `dueAt`. Null has no effect. */
  wakeUp(kind: string, dueAt: Timestamp | null): void {
    if (dueAt !== null) this.#wakeUps.push({ kind, dueAt });
  }
}

type Work<Result> = (tx: TenantTransaction, outbox: Outbox) => Promise<Result>;

/**
 * Runs `work` in one transaction on a tenant's database (`bulk`: see `bulkTransaction`) and schedules the delivery of
 * its events, and the mails to license holders, right after the commit. Before the commit it schedules the repair job in the platform database, which
 * finds the deliveries within a minute if this process crashes. In this order no event is lost, although the two
 * databases share no transaction.
 */
export async function transactWithEvents<Result>(
  { clock, wakeUps }: TenantWorkServices,
  tenant: Pick<Tenant, 'id' | 'db'>,
  work: Work<Result>,
  { bulk = false } = {},
): Promise<Result> {
  let outbox: Outbox | undefined;
  const workWithOutbox = async (tx: TenantTransaction) => {
    outbox = new Outbox(tx);
    const result = await work(tx, outbox);
    if (outbox.hasDeliveries) await wakeUps.scheduleBeforeCommit(tenant.id, deliveryRepairJobKind);
    if (outbox.hasHolderMails) await wakeUps.scheduleBeforeCommit(tenant.id, holderMailRepairJobKind);
    return result;
  };
  const result = await (bulk ? tenant.db.bulkTransaction(workWithOutbox) : tenant.db.transaction(workWithOutbox));
  if (outbox?.hasDeliveries) wakeUps.scheduleAfterCommit(tenant.id, deliveryJobKind, clock.now());
  if (outbox?.hasHolderMails) wakeUps.scheduleAfterCommit(tenant.id, holderMailJobKind, clock.now());
  for (const { kind, dueAt } of outbox?.wakeUps ?? []) wakeUps.scheduleAfterCommit(tenant.id, kind, dueAt);
  return result;
}
