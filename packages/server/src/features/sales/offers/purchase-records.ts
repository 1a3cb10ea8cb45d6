import type { PurchaseRecords } from '../../holders/customers/purchase-records.ts';
import { eraseDifferencesNaming, eraseDifferencesOf } from '../comparison/erasure.ts';
import { eraseBodiesOf, eraseUnlinkedBodies } from '../messages/erasure-service.ts';
import { eraseBuyer, readPurchasesOf } from '../sales/erasure-service.ts';

/** What customers bought in connected shops: the contract of the customers' personal data. */
export const purchaseRecords: PurchaseRecords = {
  read: readPurchasesOf,
  async erase(services, tx, { email, limit }) {
    const { sales, hasMore } = await eraseBuyer(tx, email, limit);
    await eraseDifferencesOf(tx, sales);
    const saleIds = sales.map(({ id }) => id);
    await eraseBodiesOf(services, tx, saleIds);
    return { sales: sales.length, hasMore };
  },
  async eraseUnlinked(services, db, email) {
    await eraseDifferencesNaming(db, email);
    await eraseUnlinkedBodies(services, db, email);
  },
};
