import type { TenantTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import type { PortalLoginsTable } from '../../../db/tables/tenant/portal.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { KeyServices, Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { newLinkToken } from '../../accounts/identity/mail-link-service.ts';
import { readHolderEmail } from '../../licensing/licenses/holder-service.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { loginUrl } from './handle.ts';
import { newLogin } from './login-service.ts';
import type { PortalLink } from './settings-schemas.ts';
import { findPortalUrl } from './settings-service.ts';

const lifetimeSeconds = 3_600;

/**
 * Creates a link that logs the holder of a license in, once within an hour. Throws 404 `LICENSE.NOT_FOUND`, 409
 * `LICENSE.HOLDER_EMAIL_MISSING` and 409 `PORTAL.SWITCHED_OFF`.
 */
export async function createPortalLink(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  licenseId: string,
): Promise<PortalLink> {
  const email = await readHolderEmail(tenant.db, licenseId);
  if (email === null) {
    const message = 'The license has no email address of a customer. Enter the address first.';
    throw new AppError('LICENSE.HOLDER_EMAIL_MISSING', message);
  }
  const url = await findPortalUrl(services, tenant.id);
  if (url === null) {
    const message = 'The portal is switched off. Choose a handle in the settings of the portal and switch it on.';
    throw new AppError('PORTAL.SWITCHED_OFF', message);
  }
  const token = newLinkToken();
  return await tenant.db.transaction(async (tx) => {
    const at = services.clock.now();
    const link = { kind: 'vendor', email, token, seconds: lifetimeSeconds, at } as const;
    const { expires_at } = await insertLinkLogin(services, tx, link);
    const entry = { event: 'LICENSE.PORTAL_LINK_CREATED', resourceType: 'license', resourceId: licenseId, at };
    await recordAudit(tx, actor, entry);
    return { url: loginUrl(url, token), expires_at };
  });
}

interface LinkLogin extends Pick<PortalLoginsTable, 'kind' | 'email'> {
  readonly token: string;
  readonly seconds: number;
  readonly at: Timestamp;
}

/** Inserts a login that has a link and no code, in the caller's transaction. */
export async function insertLinkLogin(
  { keyring }: KeyServices,
  tx: TenantTransaction,
  { kind, email, token, seconds, at }: LinkLogin,
): Promise<PortalLoginsTable> {
  const login = { ...newLogin(kind, email, at, seconds), link_hash: keyring.hash(token), prepared_at: at };
  await insertRow(tx, 'portal_logins', login);
  return login;
}
