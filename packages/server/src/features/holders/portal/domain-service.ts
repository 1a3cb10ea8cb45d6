import { isUniqueViolation } from '../../../db/errors.ts';
import { findRow } from '../../../db/rows.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { normalizeDomain, presentDomain } from './domain.ts';
import { lockHandle, writeHandle } from './handle-queries.ts';
import type { PortalDomain } from './settings-schemas.ts';

/** Returns the domain that a tenant entered, as it is stored. Throws 422. */
export function readDomain({ servedDomains }: Pick<Services, 'servedDomains'>, text: string): string {
  const domain = normalizeDomain(text);
  if (domain === null) {
    const message = 'is no domain: enter a name with a dot such as `portal.example.com`, without a port and a path.';
    throw validationError({ field: 'domain', message });
  }
  if (servedDomains.isOwn(domain)) {
    throw validationError({ field: 'domain', message: 'is the domain of this service. Enter one of your own.' });
  }
  return domain;
}

/** Returns the error for a domain that another tenant has proved. */
export function domainTaken(cause?: unknown): AppError {
  const message = 'Another tenant has proved this domain. Choose another one.';
  const details = [{ field: 'domain', message }];
  return new AppError('PORTAL.DOMAIN_TAKEN', message, { details, ...(cause !== undefined && { cause }) });
}

/**
 * Looks up the DNS record of a portal's domain and serves the portal there from now on. Throws 409
 * `PORTAL.DOMAIN_NOT_PROVED`, also without a domain, and `PORTAL.DOMAIN_TAKEN`. A later loss of the record ends nothing.
 */
export async function verifyDomain(services: Services, tenant: Tenant, actor: Actor): Promise<void> {
  const { clock, platform, servedDomains } = services;
  const asked = presentDomain(await findRow(platform.query, 'portal_handles', { tenant_id: tenant.id }));
  if (asked === null) throw notProved('The portal has no domain. Enter one and save it first.');
  if (asked.verified_at !== null) return;
  await assertRecord(services, asked);
  await platform
    .transaction(async (tx) => {
      const before = await lockHandle(tx, tenant.id);
      const now = presentDomain(before);
      if (before === undefined || now?.txt_name !== asked.txt_name || now.txt_value !== asked.txt_value) {
        throw notProved('The domain was changed during the check. Check again.');
      }
      if (now.verified_at !== null) return;
      const at = clock.now();
      await writeHandle(tx, { ...before, domain_verified_at: at, updated_at: at });
      const changes = [{ field: 'domain_verified_at', old: null, new: at }];
      const entry = { event: 'PORTAL.UPDATED', resourceType: 'portal', resourceId: tenant.id, changes, at };
      await recordTenantAudit(tx, tenant.id, actor, entry);
    })
    .catch((cause: unknown) => {
      throw isUniqueViolation(cause, 'portal_handles_domain_unique') ? domainTaken(cause) : cause;
    });
  await completeTenantAudit(services, tenant.id);
  await servedDomains.reload();
}

/** Throws 409 `PORTAL.DOMAIN_NOT_PROVED` unless DNS has the record. The message lists the values that DNS has instead. */
async function assertRecord({ resolveTxt }: Services, { txt_name, txt_value }: PortalDomain): Promise<void> {
  const found = await resolveTxt(txt_name).catch((cause: unknown) => {
    throw notProved(`No name server answered for ${txt_name}. Check again in a few minutes.`, cause);
  });
  if (found.includes(txt_value)) return;
  const wanted = `Create the TXT record ${txt_name} with the value ${txt_value}`;
  if (found.length === 0) {
    throw notProved(`There is no TXT record ${txt_name} yet. ${wanted}. A new record may need an hour to be seen.`);
  }
  const values = found.slice(0, 3).map((value) => JSON.stringify(value.slice(0, 100)));
  throw notProved(`The TXT record ${txt_name} has another value: ${values.join(', ')}. ${wanted}.`);
}

function notProved(message: string, cause?: unknown): AppError {
  return new AppError('PORTAL.DOMAIN_NOT_PROVED', message, { ...(cause !== undefined && { cause }) });
}
