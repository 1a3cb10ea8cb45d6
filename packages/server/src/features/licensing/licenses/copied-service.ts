import type { TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import { issueLicenses } from './service.ts';

/** How copied licenses are written. */
export interface CopyOptions {
  readonly actor: Actor;
  readonly at: Timestamp;
  /** True to publish events. A copy of history normally publishes no events, because nothing happened now. */
  readonly publishes: boolean;
}

/** Inserts copied licenses as `issueLicenses` does. The caller must call `reserveQuota` at the end. */
export async function issueCopies(
  services: Services,
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly LicensesTable[],
  { actor, at, publishes }: CopyOptions,
): Promise<void> {
  if (rows.length > 0) await issueLicenses(services, tx, outbox, actor, rows, at, publishes);
}
