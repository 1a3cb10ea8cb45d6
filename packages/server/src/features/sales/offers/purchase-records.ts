import type { PurchaseRecords } from '../../holders/customers/purchase-records.ts';
import { eraseDifferences } from '../comparison/erasure.ts';
import { eraseBodies } from '../messages/erasure-service.ts';
import { eraseBuyer, readPurchasesOf } from '../sales/erasure-service.ts';

/** What customers bought in connected shops: the contract of the customers' personal data. */
export const purchaseRecords: PurchaseRecords = {
  read: readPurchasesOf,
  async erase(services, tx, email) {
    const sales = await eraseBuyer(tx, email);
    await eraseDifferences(tx, sales, email);
    const saleIds = sales.map(({ id }) => id);
    await eraseBodies(services, tx, { saleIds, email });
    return sales.length;
  },
};
