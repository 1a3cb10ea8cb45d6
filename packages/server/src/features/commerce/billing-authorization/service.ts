import type { PlatformDb } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { BillingAuthorizationsTable } from '../../../db/tables/platform/payments.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import { isAdminAllowed, isRead, rolesFor } from '../../../http/routes/admin-roles.ts';
import type { AuthenticatedAdmin } from '../../../http/routes/admin-route.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { PlatformServices } from '../../../services.ts';

const pathMaxLength = 1000;

/**
 * A request of an admin to a route with the billing guard, or below `/api/v1/admin/billing`, with or without a route.
 */
interface BillingRequest {
  readonly method: string;
  /** With its query string, which is not logged. */
  readonly url: string;
  readonly requestId: string;
  readonly ip: string;
}

/**
 * The billing guard. The table of roles says which of them read billing, and which also write.
 * The guard logs refusals and permitted writes before it returns, so a failure to log refuses the request. Throws 403
 * `BILLING.ROLE_REQUIRED`.
 */
export async function authorizeBilling(
  services: PlatformServices,
  admin: Pick<AuthenticatedAdmin, 'id' | 'role'>,
  request: BillingRequest,
): Promise<void> {
  const isAllowed = isAdminAllowed(admin.role, 'billing', request.method);
  if (isAllowed && isRead(request.method)) return;
  await insertRow(services.platform.query, 'billing_authorization_log', {
    id: newId(),
    occurred_at: services.clock.now(),
    admin_id: admin.id,
    role: admin.role,
    method: request.method,
    path: pathOf(request.url),
    allowed: isAllowed ? 1 : 0,
    request_id: request.requestId,
    ip: request.ip,
  });
  if (isAllowed) return;
  throw new AppError(
    'BILLING.ROLE_REQUIRED',
    `This request requires the admin role ${rolesFor('billing', request.method).join(' or ')}. Ask a super_admin for it.`,
  );
}

function pathOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.slice(0, pathMaxLength);
}

interface ListAuthorizations extends PageRequest {
  readonly admin_id?: string | undefined;
  readonly allowed?: boolean | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns one page of the decisions of the billing guard. */
export function listAuthorizations(
  platform: PlatformDb,
  options: ListAuthorizations,
): Promise<BillingAuthorizationsTable[]> {
  const { admin_id, allowed, from, to } = options;
  let query = platform.query.selectFrom('billing_authorization_log').selectAll();
  if (admin_id !== undefined) query = query.where('admin_id', '=', admin_id);
  if (allowed !== undefined) query = query.where('allowed', '=', allowed ? 1 : 0);
  if (from !== undefined) query = query.where('occurred_at', '>=', toStoredTimestamp(from));
  if (to !== undefined) query = query.where('occurred_at', '<', toStoredTimestamp(to));
  return paginate(query, options, 'occurred_at').execute();
}
