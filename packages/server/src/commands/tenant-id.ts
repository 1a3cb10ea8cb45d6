import { isUuid } from '../lib/ids.ts';
import { UsageError } from './command.ts';

/** Refuses what is no tenant's id before anything is opened. */
export function assertTenantId(id: string): void {
  if (!isUuid(id)) throw new UsageError(`"${id}" is no tenant id: "licensing tenants list" shows the ids.`);
}
