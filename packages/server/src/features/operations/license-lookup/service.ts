import type { Static } from 'typebox';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { validationError } from '../../../lib/error.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findLicensesByKey, isEndOfKey, keyEndMin } from '../../licensing/licenses/key-lookup-service.ts';
import { keyHint } from '../../licensing/licenses/license-key.ts';
import { deriveStatus } from '../../licensing/licenses/license-status.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import type { FoundLicenses, LookupQuery } from './schemas.ts';

/** Each tenant has a database of its own, which may have to be opened. */
const tenantsPerStep = 100;
const stepMaxMs = 1_000;

type SearchedTenant = Pick<TenantsTable, 'id' | 'name' | 'status'>;

/**
 * Searches the next tenants for a license by its key, one after the other, and records who searched for what. Closed
 * tenants are not searched. Throws 422 for a text with too few letters and digits.
 */
export async function lookUpKey(
  services: Services,
  actor: Actor,
  { key, after }: Static<typeof LookupQuery>,
): Promise<FoundLicenses> {
  if (!isEndOfKey(key)) {
    throw validationError({ field: 'key', message: `Enter at least ${keyEndMin} letters and digits.` });
  }
  const { platform, clock } = services;
  const candidates = await listTenants(services, after);
  const startedMs = performance.now();
  const found: FoundLicenses = {
    licenses: [],
    searched: 0,
    tenants: await countTenants(services),
    unreachable: [],
    next: null,
  };
  for (const tenant of candidates) {
    if (found.searched === tenantsPerStep || performance.now() - startedMs > stepMaxMs) {
      found.next = candidates[found.searched - 1]?.id ?? null;
      break;
    }
    await searchTenant(services, tenant, key, found);
    found.searched += 1;
    await yieldToEventLoop();
  }
  await platform.transaction(async (tx) => {
    const changes = [
      { field: 'key', old: null, new: keyHint(key) },
      { field: 'licenses', old: null, new: found.licenses.map(({ id }) => id) },
    ];
    const entry = { event: 'LICENSE.LOOKED_UP', resourceType: 'license', resourceId: null, changes, at: clock.now() };
    await recordPlatformAudit(tx, actor, entry);
  });
  return found;
}

async function searchTenant(
  { clock, logger, tenants }: Services,
  tenant: SearchedTenant,
  key: string,
  found: FoundLicenses,
): Promise<void> {
  try {
    const rows = await tenants.readTenantDb(tenant.id, (db) => findLicensesByKey(db, key));
    for (const row of rows) found.licenses.push({ id: row.id, status: deriveStatus(row, clock.now()), tenant });
  } catch (error) {
    // One damaged database must not hide the licenses of the others.
    logger.warn({ err: error, tenant_id: tenant.id }, 'a tenant could not be searched for a license key');
    found.unreachable.push(tenant.id);
  }
}

/** Returns the tenants of one step, and one more if another step follows. */
function listTenants({ platform }: Services, after: string | undefined): Promise<SearchedTenant[]> {
  let tenants = platform.query.selectFrom('tenants').select(['id', 'name', 'status']).where('status', '<>', 'closed');
  if (after !== undefined) tenants = tenants.where('id', '>', after);
  return tenants
    .orderBy('id')
    .limit(tenantsPerStep + 1)
    .execute();
}

async function countTenants({ platform }: Services): Promise<number> {
  const tenants = platform.query.selectFrom('tenants').where('status', '<>', 'closed');
  const { count } = await tenants.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}
