import type { PlatformTransaction, TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { findRow } from '../../../db/rows.ts';
import type { PortalHandlesTable } from '../../../db/tables/platform/tenants.ts';
import type { PortalSettingsTable } from '../../../db/tables/tenant/portal.ts';
import type { PortalAddress } from '../../../http/routes/holder-route.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import type { TenantRecord } from '../../../tenancy/tenant-record.ts';
import { newLinkToken } from '../../accounts/identity/mail-link-service.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { presentDomain } from './domain.ts';
import { domainTaken, readDomain } from './domain-service.ts';
import { handlePattern, isReserved, portalUrl } from './handle.ts';
import {
  findPortalTenant,
  findPortalTenantByDomain,
  listProvedDomains,
  lockHandle,
  writeHandle,
} from './handle-queries.ts';
import type { PortalPermissions, PortalSettings, UpdatePortalSettings } from './settings-schemas.ts';

const handleForm = new RegExp(handlePattern);

/** Returns the tenant whose portal has this handle, if it is active and its portal is switched on; else undefined. */
async function findPortal({ platform }: Services, handle: string): Promise<TenantRecord | undefined> {
  return handleForm.test(handle) ? await findPortalTenant(platform, handle) : undefined;
}

/** Stands in place of the handle in requests to a domain of a portal's own. No handle has this form. */
export const domainHandle = '_';

/** A portal that a request was sent to, and its tenant. */
export interface ReachedPortal extends PortalAddress {
  readonly record: TenantRecord;
}

/**
 * Returns the portal that a request was sent to: by the handle in its path, or by its host alone at a domain of a portal's
 * own. Undefined for an unknown one and for one that is switched off.
 */
export async function reachPortal(
  services: Services,
  handle: string,
  host: string | undefined,
): Promise<ReachedPortal | undefined> {
  const domain = services.servedDomains.domainOf(host);
  // No handle opens another portal at a domain, and no host one at the service's own address.
  if ((domain === null) === (handle === domainHandle)) return undefined;
  const record =
    domain === null ? await findPortal(services, handle) : await findPortalTenantByDomain(services.platform, domain);
  return record === undefined ? undefined : { record, handle, domain };
}

/** Returns the same error for an unknown portal and for one that is switched off. */
export function portalNotFound(): AppError {
  return new AppError(
    'PORTAL.NOT_FOUND',
    'There is no page at this address, or its owner has switched it off. Check the address, or ask the vendor of your software.',
  );
}

/** Returns the handle of a tenant's portal if it is switched on, else null. */
export async function findOpenHandle(
  { platform }: Pick<Services, 'platform'>,
  tenantId: string,
): Promise<string | null> {
  const row = await findRow(platform.query, 'portal_handles', { tenant_id: tenantId });
  return row?.is_enabled === 1 ? row.handle : null;
}

/** Returns the address of a tenant's portal if it is switched on, else null. */
export async function findPortalUrl(
  { config, platform }: Pick<Services, 'config' | 'platform'>,
  tenantId: string,
): Promise<string | null> {
  const row = await findRow(platform.query, 'portal_handles', { tenant_id: tenantId });
  return row?.is_enabled === 1 ? portalUrl(config.publicUrl, row) : null;
}

/** Reads what holders may do in the portal. */
export async function readPermissions(db: Pick<TenantDb, 'query'>): Promise<PortalPermissions> {
  return toPermissions(await db.query.selectFrom('portal_settings').selectAll().executeTakeFirstOrThrow());
}

function toPermissions({ release_devices, replace_key, offline_activation }: PortalSettingsTable): PortalPermissions {
  return {
    release_devices: release_devices === 1,
    replace_key: replace_key === 1,
    offline_activation: offline_activation === 1,
  };
}

/** Reads the settings of a tenant's portal. */
export async function readPortalSettings(services: Services, tenant: Tenant): Promise<PortalSettings> {
  const row = await findRow(services.platform.query, 'portal_handles', { tenant_id: tenant.id });
  const { publicUrl } = services.config;
  return {
    handle: row?.handle ?? null,
    is_enabled: row?.is_enabled === 1,
    url: row === undefined ? null : portalUrl(publicUrl, row),
    domain: presentDomain(row),
    permissions: await readPermissions(tenant.db),
  };
}

/**
 * Changes the fields that `input` contains. Another domain must be proved again. Throws 422 for a reserved handle, for no
 * domain of the tenant's own, and for a portal that is switched on without a handle, and 409 `PORTAL.HANDLE_TAKEN` and
 * `PORTAL.DOMAIN_TAKEN`. The address is committed first, with its own audit record, because it is in the
 * platform database; repeating the request completes a change that a crash cut in two.
 */
export async function updatePortalSettings(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { handle, is_enabled, domain: name, permissions }: UpdatePortalSettings,
): Promise<PortalSettings> {
  if (handle !== undefined && isReserved(handle)) {
    const message = 'is reserved: it is a word of this service, or begins or ends with a hyphen. Choose another one';
    throw validationError({ field: 'handle', message });
  }
  const domain = typeof name === 'string' ? readDomain(services, name) : name;
  if (handle !== undefined || is_enabled !== undefined || domain !== undefined) {
    await changeAddress(services, tenant, actor, { handle, is_enabled, domain });
    await completeTenantAudit(services, tenant.id);
    if (domain !== undefined) await services.servedDomains.reload();
  }
  if (permissions !== undefined) await tenant.db.transaction((tx) => permit(services, tx, tenant, actor, permissions));
  return await readPortalSettings(services, tenant);
}

async function changeAddress(
  { clock, platform }: Services,
  tenant: Tenant,
  actor: Actor,
  input: {
    readonly handle: string | undefined;
    readonly is_enabled: boolean | undefined;
    readonly domain: string | null | undefined;
  },
): Promise<void> {
  await platform
    .transaction(async (tx) => {
      const before = await lockHandle(tx, tenant.id);
      const handle = input.handle ?? before?.handle;
      if (handle === undefined) {
        // Without a handle there is nothing to switch off.
        if (input.is_enabled !== true && typeof input.domain !== 'string') return;
        const message = 'Choose an address before you switch on the portal or give it a domain.';
        throw validationError({ field: 'handle', message });
      }
      const at = clock.now();
      const isEnabled = input.is_enabled ?? (before?.is_enabled ?? 0) === 1;
      const after: PortalHandlesTable = {
        ...domainAfter(before, input.domain),
        tenant_id: tenant.id,
        handle,
        is_enabled: isEnabled ? 1 : 0,
        updated_at: at,
      };
      const fields = ['handle', 'is_enabled', 'domain', 'domain_verified_at'] as const;
      const changes = changedFields(addressOf(before), addressOf(after), fields);
      if (changes.length === 0) return;
      await writeHandle(tx, after);
      if (typeof input.domain === 'string') await assertDomainFree(tx, after);
      await recordTenantAudit(tx, tenant.id, actor, { ...auditOf(tenant), changes, at });
    })
    .catch((cause: unknown) => {
      if (!isUniqueViolation(cause, 'portal_handles_handle_unique')) throw cause;
      const details = [{ field: 'handle', message: 'Another company uses this address. Choose another one.' }];
      throw new AppError('PORTAL.HANDLE_TAKEN', 'This handle is taken. Choose another one.', { details, cause });
    });
}

function addressOf(row: PortalHandlesTable | undefined) {
  const { handle = null, domain = null, domain_verified_at = null } = row ?? {};
  return { handle, is_enabled: row?.is_enabled === 1, domain, domain_verified_at };
}

/** Throws 409 `PORTAL.DOMAIN_TAKEN` if another tenant has proved the domain. */
async function assertDomainFree(tx: PlatformTransaction, { domain, domain_verified_at }: DomainColumns): Promise<void> {
  if (domain === null || domain_verified_at !== null) return;
  if ((await listProvedDomains(tx, domain)).length > 0) throw domainTaken();
}

type DomainColumns = Pick<PortalHandlesTable, 'domain' | 'domain_token' | 'domain_verified_at'>;

/** Keeps the proof of an unchanged domain. Another one gets a token of its own, so that no proof fits two domains. */
function domainAfter(before: PortalHandlesTable | undefined, domain: string | null | undefined): DomainColumns {
  const former = before?.domain ?? null;
  if (before !== undefined && (domain === undefined || domain === former)) return before;
  const token = typeof domain === 'string' ? newLinkToken() : null;
  return { domain: domain ?? null, domain_token: token, domain_verified_at: null };
}

function auditOf({ id }: Tenant) {
  return { event: 'PORTAL.UPDATED', resourceType: 'portal', resourceId: id };
}

async function permit(
  { clock }: Services,
  tx: TenantTransaction,
  tenant: Tenant,
  actor: Actor,
  input: NonNullable<UpdatePortalSettings['permissions']>,
): Promise<void> {
  const row = await forUpdate(tx, tx.selectFrom('portal_settings').selectAll()).executeTakeFirstOrThrow();
  const before = toPermissions(row);
  const after = { ...before, ...input };
  const changes = changedFields(before, after, ['release_devices', 'replace_key', 'offline_activation']);
  if (changes.length === 0) return;
  const stored = Object.fromEntries(changes.map(({ field, new: value }) => [field, value === true ? 1 : 0]));
  await tx.updateTable('portal_settings').set(stored).where('id', '=', row.id).execute();
  await recordAudit(tx, actor, { ...auditOf(tenant), changes, at: clock.now() });
}
