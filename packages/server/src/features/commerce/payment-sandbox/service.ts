import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { PaymentProviderError } from '../../../payments/provider.ts';
import type { Sandbox } from '../../../payments/sandbox/sandbox.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';

/** Returns the sandbox. Throws 404 `RESOURCE.NOT_FOUND` without one. */
export function requireSandbox({ sandbox }: Services): Sandbox {
  if (sandbox !== null) return sandbox;
  throw new AppError(
    'RESOURCE.NOT_FOUND',
    'This service has no payment sandbox. Set PAYMENT_PROVIDER to sandbox to get one.',
  );
}

/**
 * Advances the sandbox's clock by seconds or to a time, and performs everything that becomes due. Returns the new time.
 * Throws 404 `RESOURCE.NOT_FOUND` without a sandbox, and 422 for a time that is past or more than 732 days ahead.
 */
export async function advanceClock(
  services: Services,
  actor: Actor,
  { advance_seconds, to }: { readonly advance_seconds?: number; readonly to?: string },
): Promise<Timestamp> {
  const sandbox = requireSandbox(services);
  if ((advance_seconds === undefined) === (to === undefined)) {
    throw validationError({ field: 'advance_seconds', message: 'must be given if and only if to is not given' });
  }
  const advance =
    to === undefined ? { byMs: (advance_seconds ?? 0) * 1000 } : { to: toTimestamp(toEpochMs(toStoredTimestamp(to))) };
  try {
    return await sandbox.advanceClock(advance, async (tx, before, after) => {
      const changes = [{ field: 'now', old: before, new: after }];
      const about = { event: 'SANDBOX.CLOCK_ADVANCED', resourceType: 'payment_sandbox', resourceId: null } as const;
      await recordPlatformAudit(tx, actor, { ...about, changes, at: services.clock.now() });
    });
  } catch (error) {
    if (!(error instanceof PaymentProviderError)) throw error;
    const field = to === undefined ? 'advance_seconds' : 'to';
    throw validationError({ field, message: 'Choose a time in the future, at most 732 days ahead.' });
  }
}
