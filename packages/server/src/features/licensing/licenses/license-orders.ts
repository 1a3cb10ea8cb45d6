import { type RawBuilder, sql } from 'kysely';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { ListOrder } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { LicenseSort } from './schemas.ts';

type OrderedColumns = Pick<LicensesTable, 'id' | 'created_at' | 'expires_at'>;

/** An order of the list of licenses. */
export interface LicenseOrder extends ListOrder<OrderedColumns> {
  readonly isByExpiry: boolean;
}

/** Sorts a license without an end after every other. The index `licenses_by_expiry` contains the same expression. */
const never: Timestamp = '9999-12-31T23:59:59.999999Z';
const expiry = sql<string>`coalesce(licenses.expires_at, ${sql.lit(never)})`;

function order(
  name: LicenseSort,
  by: RawBuilder<string>,
  orderedValue: (row: OrderedColumns) => Timestamp,
): LicenseOrder {
  return {
    name,
    by,
    id: 'licenses.id',
    direction: name.startsWith('-') ? 'desc' : 'asc',
    isByExpiry: by === expiry,
    positionOf: (row) => [name, orderedValue(row), row.id],
  };
}

const expiryOf = ({ expires_at }: OrderedColumns) => expires_at ?? never;

/** The orders of the list of licenses, except the default one. */
export const licenseOrders: Readonly<Record<Exclude<LicenseSort, '-created_at'>, LicenseOrder>> = {
  created_at: order('created_at', sql.ref('licenses.created_at'), ({ created_at }) => created_at),
  expires_at: order('expires_at', expiry, expiryOf),
  '-expires_at': order('-expires_at', expiry, expiryOf),
};
