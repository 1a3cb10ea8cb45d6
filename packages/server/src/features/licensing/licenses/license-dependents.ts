import type { TenantTransaction } from '../../../db/database.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Data that other features store for a license. These features import `licenses` and `policies`, which therefore cannot
 * import them. They implement this contract, and the composition root passes it in as `Services.licenseDependents`.
 */
export interface LicenseDependents {
  /**
   * Releases every held activation of a license that is being deleted, in the transaction that locked its row. Returns
   * their number, by which the caller reduces the quota `activations`.
   */
  releaseActivations(tx: TenantTransaction, licenseId: string, at: Timestamp): Promise<number>;
  /**
   * Gives active activations another lease: those of a license that gets another policy, or without `licenseId` those of
   * all licenses of a policy that changes. The caller has locked or held the policies.
   */
  changeLease(tx: TenantTransaction, outbox: JobOutbox, change: LeaseChange): Promise<void>;
}

/** The part of an `Outbox` that schedules jobs. A reference to the class would be a circle of files. */
interface JobOutbox {
  wakeUp(kind: string, dueAt: Timestamp | null): void;
}

/** A policy before and after a change, or the former and the new policy of a license. */
export interface LeaseChange {
  readonly from: Pick<PoliciesTable, 'lease_seconds'>;
  readonly to: Pick<PoliciesTable, 'id' | 'lease_seconds'>;
  readonly licenseId?: string;
  readonly at: Timestamp;
}
