import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';

/** A purchase of a person in a shop of the tenant. */
export interface CustomerPurchase {
  readonly connection_id: string;
  /** The shop's id of the subscription or of the order. */
  readonly external_id: string;
  /** Null if the shop has not said it, as the following. */
  readonly kind: string | null;
  readonly state: string | null;
  readonly buyer: { readonly reference: string | null; readonly name: string | null; readonly email: string | null };
  readonly items: { readonly external_id: string; readonly quantity: number }[];
  readonly created_at: Timestamp;
}

/**
 * What a customer bought in the shops of the tenant. The connections to shops are above this group, so they implement this
 * contract and the composition root passes it in.
 */
export interface PurchaseRecords {
  /** Returns what the person with this address bought. */
  readonly read: (db: TenantDb, email: string) => Promise<CustomerPurchase[]>;
  /**
   * Removes the person with this address from up to `limit` sales and their messages. Returns the number of sales, and
   * whether there are more: at least one of them stays then, by which the person is found.
   */
  readonly erase: (
    services: { readonly keyring: Keyring },
    tx: TenantTransaction,
    person: { readonly email: string; readonly limit: number },
  ) => Promise<{ readonly sales: number; readonly hasMore: boolean }>;
  /** Removes the person from what belongs to no sale of the tenant, in short transactions. Safe to repeat. */
  readonly eraseUnlinked: (services: { readonly keyring: Keyring }, db: TenantDb, email: string) => Promise<void>;
}
