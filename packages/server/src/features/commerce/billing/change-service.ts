import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { requirePayments } from '../../../payments/call-provider.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { advanceChangeNumber } from './queries.ts';

/** The context of a change to a tenant's subscription. */
export interface Change {
  readonly services: Services;
  readonly payments: PaymentProvider;
  readonly tenant: Pick<Tenant, 'id' | 'name'>;
  readonly actor: Actor;
}

/** Returns the context of a change. Throws 409 `BILLING.NO_PROVIDER` when no payment provider is configured. */
export function beginChange(services: Services, tenant: Tenant, actor: Actor): Change {
  return { services, payments: requirePayments(services), tenant, actor };
}

/**
 * Calls the provider for a change of a subscription. Repeated clicks and lost responses lead to one change, because all
 * attempts at it carry the same idempotency key. The key changes after the subscription has changed, or after the
 * provider has refused. `parts` distinguishes the change from others. Throws `PaymentProviderError`.
 */
export async function callOnce(
  { services }: Pick<Change, 'services'>,
  current: SubscriptionsTable,
  parts: readonly (string | number)[],
  call: (idempotencyKey: string) => Promise<void>,
): Promise<void> {
  const number = current.change_number ?? 0;
  const key = [current.id, number, ...parts].join(':');
  try {
    await call(key);
  } catch (error) {
    // An unavailable provider may have made the change, so the next attempt uses the same key.
    const isFinal = error instanceof PaymentProviderError && error.reason !== 'unavailable';
    if (isFinal) await advanceChangeNumber(services.platform, current.id, number);
    throw error;
  }
}
