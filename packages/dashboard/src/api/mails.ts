import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import type { components, operations } from './schema.gen.ts';

export type UnsentMail = components['schemas']['UnsentMail'];
type MailFilters = NonNullable<operations['adminListMails']['parameters']['query']>;

/** Reads one page of the mails that the service gave up on, the latest first. */
export function mailsQuery(filters: MailFilters) {
  return queryOptions({
    queryKey: platformKey('mails', 'list', filters),
    queryFn: () => bodyOf(platformApi().GET('/api/v1/admin/mails', { params: { query: filters } })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
}

/** Queues a dead mail again. */
export function retryMail(id: string): Promise<UnsentMail> {
  return dataOf(platformApi().POST('/api/v1/admin/mails/{id}/retry', { params: { path: { id } } }));
}
