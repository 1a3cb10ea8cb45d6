import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { provideTenant } from '../http/routes/tenant-route.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { Services } from '../services.ts';
import type { Actor, Tenant } from '../tenancy/tenant.ts';
import type { OpenTenant } from '../tenancy/tenant-pool.ts';
import { assertTenantActive, assertWritable, limitsOf, type TenantRecord } from '../tenancy/tenant-record.ts';

const heldTenant = Symbol('held tenant');

declare module 'fastify' {
  interface FastifyRequest {
    /** The open database that this request holds; `released` once the request is over. */
    [heldTenant]: OpenTenant | 'released' | null;
  }
}

/** Gives back the tenant's database when a request of this scope is over, however it ends. */
export function releaseTenantAfterResponse(app: FastifyInstance, services: Services): void {
  app.decorateRequest(heldTenant, null);
  app.addHook('onResponse', (request, _reply, done) => {
    const held = request[heldTenant];
    request[heldTenant] = 'released';
    if (held !== null && held !== 'released') services.tenants.release(held);
    done();
  });
}

/** True when a request asks for nothing but an answer. */
function isReading({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.config.readsOnly === true;
}

/** The last step of every guard: the tenant is active, its database is open, and the request belongs to it. */
export function enterTenant(
  services: Services,
  request: FastifyRequest,
  record: TenantRecord,
  actor: Actor,
): MaybePromise<Tenant> {
  assertTenantActive(record);
  if (record.writes_paused_until !== null && !isReading(request)) assertWritable(record, services.clock.now());
  return andThen(services.tenants.acquire(record), (open) => {
    // The caller went away while the database was opened: nobody else would release it.
    if (request[heldTenant] === 'released') {
      services.tenants.release(open);
      throw new Error('The caller went away before its tenant was open.');
    }
    request[heldTenant] = open;
    const tenant = { id: record.id, name: record.name, limits: limitsOf(record), db: open.db };
    provideTenant(request, tenant, actor);
    return tenant;
  });
}

/** Adapts a guard, which may answer at once or later, to a Fastify hook without a promise per request. */
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
