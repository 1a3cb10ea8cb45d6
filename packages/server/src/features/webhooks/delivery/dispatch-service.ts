import type { TenantDb } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { DeliveryRun } from './run.ts';

export type DispatchServices = Pick<
  Services,
  'activity' | 'clock' | 'wakeUps' | 'keyring' | 'logger' | 'metrics' | 'webhookSender' | 'webhookTraffic'
>;

/** Whose deliveries are sent, and how its database is used: for each read and each transaction anew. */
export interface DispatchTenant {
  readonly id: string;
  withDb<Result>(work: (db: TenantDb) => Promise<Result>): Promise<Result>;
}

/** Bounds of a run. */
export interface DispatchOptions {
  /** The most deliveries in hand at once: it bounds memory. */
  readonly limit?: number;
  /** The most requests to one endpoint at once. */
  readonly concurrency?: number;
  /** How long deliveries are claimed; what is in hand then is finished. */
  readonly maxRunMs?: number;
  /** Aborted: claims no more, and gives back what is not sent a few seconds later. */
  readonly signal?: AbortSignal;
  /** How long after that what is being sent may go on. */
  readonly stopAfterMs?: number;
  /**
   * What takes longer than a second goes on beside the run, which ends without it. Its results are written later, and
   * then a run of the tenant is hinted at.
   */
  readonly leavesOverdue?: boolean;
  /** Spreads retries; in 0..1. */
  readonly random?: () => number;
}

/**
 * Sends what is due of one tenant, and goes on while more becomes due. Two runs of the same tenant at once share the
 * work: each delivery is leased for 30 s, and nobody else sends it until then. Answers when something is due next
 * (at once where the run ended early); null when nothing waits.
 */
export function deliverDue(
  services: DispatchServices,
  tenant: Pick<Tenant, 'id' | 'db'>,
  options: DispatchOptions = {},
): Promise<Timestamp | null> {
  const { id, db } = tenant;
  return deliverDueOf(services, { id, withDb: (work) => work(db) }, options);
}

/** The same for a tenant whose database nobody keeps open meanwhile. */
export function deliverDueOf(
  services: DispatchServices,
  tenant: DispatchTenant,
  options: DispatchOptions = {},
): Promise<Timestamp | null> {
  return new DeliveryRun(services, tenant, options).run();
}
