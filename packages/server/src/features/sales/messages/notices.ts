import type { Timestamp } from '../../../lib/clock.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { SaleProblem } from '../sales/apply-sale-service.ts';

/** What a notification about a failure needs. */
interface Failure {
  readonly connectionId: string;
  readonly code: SaleProblem | 'failed';
  /** In words for the vendor. */
  readonly reason: string;
  readonly at: Timestamp;
}

/**
 * Notifies the tenant of a sale that has not become its license: at most once a day for each connection and kind, so that
 * a missing offer does not send a thousand mails. A refused paid license is critical and mailed at once.
 */
export async function notifyFailure(outbox: Outbox, { connectionId, code, reason, at }: Failure): Promise<void> {
  const isLimit = code === 'limit_reached';
  const type = isLimit ? 'sales.limit_reached' : 'sales.problem';
  const day = at.slice(0, 10);
  await outbox.notify({
    type,
    severity: isLimit ? 'critical' : 'warning',
    title: isLimit ? 'A paid license was not issued, because the plan is used up' : 'A sale has not become a license',
    body: `${reason} See the problems of the connection, which list every sale of this kind and apply it with one click.`,
    occurrence: `${type}:${connectionId}:${code}:${day}`,
    resource: { type: 'connection', id: connectionId },
    at,
    isUrgent: isLimit,
  });
}
