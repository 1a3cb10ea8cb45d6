import { queryOptions } from '@tanstack/react-query';
import { bodyOf } from './body.ts';
import { apiOf } from './client.ts';
import { Problem } from './problem.ts';
import { keyOf } from './query-client.ts';

const suspended = 'TENANT.STATUS.SUSPENDED';

/**
 * Reads where the owner of a suspended tenant pays: the refusal of any billing call names the page of the open invoice.
 * Null if nothing is open.
 */
export function suspensionQuery(tenantId: string) {
  const surface = { area: 'tenant', tenantId } as const;
  return queryOptions({
    queryKey: keyOf(surface, 'suspension'),
    queryFn: async (): Promise<{ readonly paymentUrl: string | null }> => {
      try {
        await bodyOf(apiOf(surface).GET('/api/v1/billing/overview'));
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== suspended) throw error;
        return { paymentUrl: error.details.find(({ field }) => field === 'payment_url')?.message ?? null };
      }
      return { paymentUrl: null };
    },
    staleTime: 60_000,
  });
}
