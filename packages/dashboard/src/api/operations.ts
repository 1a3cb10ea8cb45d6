import { bodyOf, dataOf } from './body.ts';
import { type Range, rangeParameters } from './metrics.ts';
import { platformApi, platformKey } from './platform.ts';
import { listQuery } from './query-client.ts';
import type { components, operations } from './schema.gen.ts';

export type Job = components['schemas']['Job'];
type JobFilters = NonNullable<operations['adminListJobs']['parameters']['query']>;

/** Reads one page of the jobs that the service gave up on, the latest first. */
export function jobsQuery(filters: JobFilters) {
  return listQuery(
    platformKey('jobs', 'list', filters),
    () => bodyOf(platformApi().GET('/api/v1/admin/jobs', { params: { query: filters } })),
    { refetchInterval: 15_000 },
  );
}

/** Makes a dead job due now. */
export function retryJob(id: string): Promise<Job> {
  return dataOf(platformApi().POST('/api/v1/admin/jobs/{id}/retry', { params: { path: { id } } }));
}

export type UnsentMail = components['schemas']['UnsentMail'];
type MailFilters = NonNullable<operations['adminListMails']['parameters']['query']>;

/** Reads one page of the mails that the service gave up on, the latest first. */
export function mailsQuery(filters: MailFilters) {
  return listQuery(
    platformKey('mails', 'list', filters),
    () => bodyOf(platformApi().GET('/api/v1/admin/mails', { params: { query: filters } })),
    { refetchInterval: 15_000 },
  );
}

/** Queues a dead mail again. */
export function retryMail(id: string): Promise<UnsentMail> {
  return dataOf(platformApi().POST('/api/v1/admin/mails/{id}/retry', { params: { path: { id } } }));
}

export type RateLimitReport = components['schemas']['RateLimitReport'];
type RateLimitFilters = NonNullable<operations['adminListRateLimits']['parameters']['query']>;

/** Reads one page of the tenants with the use of their rate limits. */
export function rateLimitsQuery(filters: RateLimitFilters) {
  return listQuery(
    platformKey('rate-limits', 'list', filters),
    () => bodyOf(platformApi().GET('/api/v1/admin/rate-limits', { params: { query: filters } })),
    { refetchInterval: 10_000 },
  );
}

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
