import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';

/** Everything that happens in the transaction in which a sale is applied. */
export interface SaleContext {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  /** The connection, or the person who asked for it. */
  readonly actor: Actor;
  readonly at: Timestamp;
  /** The tenant's prefix of generated keys, read before the transaction. */
  readonly keyPrefix: string | null;
  /** The tenant's. */
  readonly timezone: string;
}

/** What a sale did to a license. */
export const effectNames = [
  'issued',
  'renewed',
  'changed',
  'ended',
  'suspended',
  'reinstated',
  'revoked',
  'holder_changed',
] as const;
export type EffectName = (typeof effectNames)[number];

/** One effect, as messages keep it. */
export interface Effect {
  readonly effect: EffectName;
  readonly license_id: string;
}

/** The services, the tenant and the author of work on sales. */
export type SaleWork = Pick<SaleContext, 'services' | 'tenant' | 'actor'>;

/** Returns the author of what a connection causes. */
export function connectionActor(connectionId: string): Actor {
  return { type: 'connection', id: connectionId, requestId: null, ip: null };
}

/** Runs `work` in one transaction: what is known of sales, their licenses, audit records and events change together. */
export async function transactSales<Result>(
  { services, tenant, actor }: SaleWork,
  work: (context: SaleContext) => Promise<Result>,
): Promise<Result> {
  const { license_key_prefix: keyPrefix, timezone } = await readSettings(tenant.db);
  return await transactWithEvents(services, tenant, (tx, outbox) =>
    work({ services, tenant, actor, tx, outbox, at: services.clock.now(), keyPrefix, timezone }),
  );
}
