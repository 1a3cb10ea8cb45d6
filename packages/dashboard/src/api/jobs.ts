import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import type { components, operations } from './schema.gen.ts';

export type Job = components['schemas']['Job'];
type JobFilters = NonNullable<operations['adminListJobs']['parameters']['query']>;

/** Reads one page of the jobs that the service gave up on, the latest first. */
export function jobsQuery(filters: JobFilters) {
  return queryOptions({
    queryKey: platformKey('jobs', 'list', filters),
    queryFn: () => bodyOf(platformApi().GET('/api/v1/admin/jobs', { params: { query: filters } })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
}

/** Makes a dead job due now. */
export function retryJob(id: string): Promise<Job> {
  return dataOf(platformApi().POST('/api/v1/admin/jobs/{id}/retry', { params: { path: { id } } }));
}
