import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteTenant } from '../http/caller.ts';
import { provideTenant } from '../http/routes/tenant-route.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { Services } from '../services.ts';
import type { Actor, Tenant } from '../tenancy/tenant.ts';
import type { OpenTenant } from '../tenancy/tenant-pool.ts';
import { assertTenantActive, assertWritable, type TenantRecord, tenantOf } from '../tenancy/tenant-record.ts';

const heldTenant = Symbol('held tenant');

declare module 'fastify' {
  interface FastifyRequest {
    /** The open tenant that this request holds; `released` once the request has ended. */
    [heldTenant]: OpenTenant | 'released' | null;
  }
}

/** Releases the tenant's database when a request of this scope ends, successfully or not. */
export function releaseTenantAfterResponse(app: FastifyInstance, services: Services): void {
  app.decorateRequest(heldTenant, null);
  app.addHook('onResponse', (request, _reply, done) => {
    const held = request[heldTenant];
    request[heldTenant] = 'released';
    if (held !== null && held !== 'released') services.tenants.release(held);
    done();
  });
}

/** Returns true if the request changes nothing. */
function isReadOnly({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.config.readsOnly === true;
}

/**
 * The last step of every guard: asserts that the tenant is active and writable, opens its database and binds the
 * request to the tenant. Synchronous if the database is open. Throws the errors of `assertTenantActive` and
 * `assertWritable`.
 */
export function enterTenant(
  services: Services,
  request: FastifyRequest,
  record: TenantRecord,
  actor: Actor,
): MaybePromise<Tenant> {
  noteTenant(request, record.id);
  assertTenantActive(record);
  if (record.writes_paused_until !== null && !isReadOnly(request)) assertWritable(record, services.clock.now());
  return andThen(services.tenants.acquire(record), (open) => {
    // The caller disconnected while the database was opened, and the response hook has already run.
    if (request[heldTenant] === 'released') {
      services.tenants.release(open);
      throw new Error('The caller disconnected before the tenant database was open.');
    }
    request[heldTenant] = open;
    const tenant = tenantOf(record, open.db);
    provideTenant(request, tenant, actor);
    return tenant;
  });
}

/** Adapts a synchronous or asynchronous guard to a Fastify hook, without a promise for synchronous results. */
export function guardHook(guard: (request: FastifyRequest, reply: FastifyReply) => MaybePromise<unknown>) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    let entered: MaybePromise<unknown>;
    try {
      entered = guard(request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (entered instanceof Promise) entered.then(() => done(), done);
    else done();
  };
}
