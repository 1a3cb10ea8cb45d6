import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { recordUsage } from './recording-service.ts';
import { ReportUsage, UsageReport } from './schemas.ts';

/** What a vendor's application consumed of metered entitlements. */
export function integrationUsageRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'POST',
      url: '/licenses/:key/usage',
      scope: 'usage:write',
      schema: {
        summary: 'Report usage',
        tags: ['Integration'],
        description:
          'Each event is counted whole or not at all, in the period of its `occurred_at` (absent: now), from 35 days ' +
          'back to 5 minutes ahead. An event is refused beyond a limit with `overage: deny`, and while the license is ' +
          'revoked or suspended; whether it had started and not expired is judged for `occurred_at`. Events with an ' +
          '`idempotency_key` can be sent again: one that was counted is a `duplicate`, one that was refused is tried ' +
          'anew. Events are counted and not written to the audit log.',
        params: KeyParams,
        body: ReportUsage,
        response: { 200: Envelope(UsageReport) },
      },
      async handler({ request, tenant, actor }) {
        return success(request, await recordUsage(services, tenant, actor, request.params.key, request.body));
      },
    }),
  ];
}
