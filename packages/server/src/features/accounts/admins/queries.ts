import type { PlatformDb } from '../../../db/database.ts';
import type { AdminRole, AdminsTable } from '../../../db/tables/platform/identity.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';

interface ListAdmins extends PageRequest {
  readonly role?: AdminRole | undefined;
}

/** Returns one page of the admins, newest first, optionally only those with a role. */
export function listAdmins(platform: PlatformDb, options: ListAdmins): Promise<AdminsTable[]> {
  const { role } = options;
  const query = platform.query.selectFrom('admins').selectAll();
  return paginate(role === undefined ? query : query.where('role', '=', role), options).execute();
}
