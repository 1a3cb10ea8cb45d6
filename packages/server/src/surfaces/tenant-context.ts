import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../services.ts';
import type { Actor, Tenant } from '../tenancy/tenant.ts';
import { assertTenantActive, assertWritable, type TenantRecord, tenantOf } from '../tenancy/tenant-record.ts';

/** Releases the tenant's database when a request of this scope ends, successfully or not. */
export function releaseTenantAfterResponse(app: FastifyInstance, services: Services): void {
  app.addHook('onResponse', ({ caller }, _reply, done) => {
    const { held } = caller;
    caller.held = 'released';
    if (held !== undefined && held !== 'released') services.tenants.release(held);
    done();
  });
}

/** Returns true if the request changes nothing. */
function isReadOnly({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.config.readsOnly === true;
}

/**
 * The last step of every guard: asserts that the tenant is active and writable, opens its database and binds the
 * request to the tenant. Throws the errors of `assertTenantActive` and
 * `assertWritable`.
 */
export async function enterTenant(
  services: Services,
  request: FastifyRequest,
  record: TenantRecord,
  actor: Actor,
): Promise<Tenant> {
  const { caller } = request;
  caller.record = record;
  assertTenantActive(record);
  if (record.writes_paused_until !== null && !isReadOnly(request)) assertWritable(record, services.clock.now());
  const open = await services.tenants.acquire(record);
  // The caller disconnected while the database was opened, and the response hook has already run.
  if (caller.held === 'released') {
    services.tenants.release(open);
    throw new Error('The caller disconnected before the tenant database was open.');
  }
  caller.held = open;
  caller.tenant = tenantOf(record, open.db);
  caller.actor = actor;
  return caller.tenant;
}
