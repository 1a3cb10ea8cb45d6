import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Data that other features store for a license. These features import `licenses`, so `licenses` cannot import them.
 * They implement this contract, and the composition root passes it in as `Services.licenseDependents`.
 */
export interface LicenseDependents {
  /**
   * Releases every held activation of a license that is being deleted, in the transaction that locked its row. Returns
   * their number, by which the caller reduces the quota `activations`.
   */
  releaseActivations(tx: TenantTransaction, licenseId: string, at: Timestamp): Promise<number>;
}
