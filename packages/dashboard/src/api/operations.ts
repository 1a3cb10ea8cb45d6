import { dataOf } from './body.ts';
import { onPlatform } from './endpoints.ts';
import { type Range, rangeParameters } from './metrics.ts';
import { platformApi, platformKey } from './platform.ts';
import { listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Job = components['schemas']['Job'];

/** Reads one page of the jobs that the service gave up on, the latest first. */
export const jobsQuery = onPlatform.list('/api/v1/admin/jobs', ['jobs', 'list'], { refetchInterval: 15_000 });

/** Makes a dead job due now. */
export const retryJob = onPlatform.POST('/api/v1/admin/jobs/{id}/retry');

export type UnsentMail = components['schemas']['UnsentMail'];

/** Reads one page of the mails that the service gave up on, the latest first. */
export const mailsQuery = onPlatform.list('/api/v1/admin/mails', ['mails', 'list'], { refetchInterval: 15_000 });

/** Queues a dead mail again. */
export const retryMail = onPlatform.POST('/api/v1/admin/mails/{id}/retry');

export type RateLimitReport = components['schemas']['RateLimitReport'];

/** Reads one page of the tenants with the use of their rate limits. */
export const rateLimitsQuery = onPlatform.list('/api/v1/admin/rate-limits', ['rate-limits', 'list'], {
  refetchInterval: 10_000,
});

/** Reads the use of one tenant's rate limit, with its rejections over a range that ends now. */
export function rateLimitQuery(id: string, range: Range) {
  return listQuery(
    platformKey('rate-limits', id, range),
    () => {
      const params = { path: { id }, query: rangeParameters(range) };
      return dataOf(platformApi().GET('/api/v1/admin/rate-limits/{id}', { params }));
    },
    { refetchInterval: 5_000 },
  );
}
