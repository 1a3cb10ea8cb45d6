import { isUuid } from '../lib/ids.ts';
import { UsageError } from './command.ts';

/** Throws a `UsageError` unless `id` is a UUID, before any database is opened. */
export function assertTenantId(id: string): void {
  if (!isUuid(id)) throw new UsageError(`"${id}" is not a tenant id: "licensing tenants list" shows the ids.`);
}
