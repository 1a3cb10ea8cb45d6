import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { Change } from './current-service.ts';
import { advanceChangeNumber } from './sync-queries.ts';

/**
 * Calls the provider for a change of a subscription. Repeated clicks and lost responses lead to one change, because all
 * attempts at it carry the same idempotency key. The key changes after the subscription has changed, or after the
 * provider has refused. `parts` tells the change from other changes. Throws
 * `PaymentProviderError`.
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
