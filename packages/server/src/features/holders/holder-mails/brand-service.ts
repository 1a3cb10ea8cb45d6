import type { TenantDb } from '../../../db/database.ts';
import type { Services } from '../../../services.ts';
import { findTenantRecord } from '../../../tenancy/tenant-record.ts';
import { readBrand } from '../../tenant-core/brand/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { findPortalUrl } from '../portal/settings-service.ts';
import type { MailBrand } from './frame.ts';

/** What every mail of a tenant has in common. */
export interface MailIdentity {
  readonly brand: MailBrand;
  readonly timezone: string;
  /** The address of the portal; null while it is switched off. */
  readonly portalUrl: string | null;
}

/** Reads what every mail of a tenant has in common. Throws if the tenant was deleted. */
export async function readMailIdentity(
  services: Pick<Services, 'platform' | 'config'>,
  tenantId: string,
  db: TenantDb,
): Promise<MailIdentity> {
  const record = await findTenantRecord(services.platform, tenantId);
  if (record === undefined) throw new Error(`Tenant ${tenantId} does not exist.`);
  const { timezone, support_email: supportEmail } = await readSettings(db);
  const { display_name, accent_color: accentColor, logo } = await readBrand(db);
  const image = logo === null ? null : { content: Buffer.from(logo.base64, 'base64'), contentType: logo.type };
  return {
    brand: { name: display_name ?? record.name, supportEmail, accentColor, logo: image },
    timezone,
    portalUrl: await findPortalUrl(services, tenantId),
  };
}
