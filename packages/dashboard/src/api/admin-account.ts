import { queryOptions } from '@tanstack/react-query';
import { dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import type { components } from './schema.gen.ts';

/** Reads the account of the current admin. */
export function adminAccountQuery() {
  return queryOptions({
    queryKey: platformKey('account'),
    queryFn: () => dataOf(platformApi().GET('/api/v1/admin/account')),
  });
}

/** Changes the name or the password of the admin. */
export function updateAdminAccount(body: components['schemas']['UpdateAccount']) {
  return dataOf(platformApi().PUT('/api/v1/admin/account', { body }));
}
