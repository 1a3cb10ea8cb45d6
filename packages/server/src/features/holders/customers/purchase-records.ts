import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { KeyServices } from '../../../services.ts';
import type { CustomerPurchase } from './schemas.ts';

/**
 * What a customer bought in the shops of the tenant. The connections to shops are above this group, so they implement this
 * contract and the composition root passes it in.
 */
export interface PurchaseRecords {
  /** Returns what the person with this address bought. */
  readonly read: (db: TenantDb, email: string) => Promise<CustomerPurchase[]>;
  /** Removes the person with this address from sales and messages of shops. Returns the number of sales. */
  readonly erase: (services: KeyServices, tx: TenantTransaction, email: string) => Promise<number>;
}
