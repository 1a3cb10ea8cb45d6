import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TenantRole } from '../db/tables.ts';
import { AppError } from '../lib/error.ts';
import type { Services } from '../services.ts';
import { authenticateMember } from './member.ts';
import { enterTenant, guardHook, releaseTenantAfterResponse } from './tenant-context.ts';
import { registerTenantResources } from './tenant-resources.ts';

/** What a tenant's own users reach with their token. */
export function tenantSurface(services: Services) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    releaseTenantAfterResponse(app, services);
    app.addHook(
      'onRequest',
      guardHook((request) => enterAsMember(services, request)),
    );
    registerTenantResources(app, services, 'tenant');
    done();
  };
}

async function enterAsMember(services: Services, request: FastifyRequest): Promise<void> {
  const { user, tenant } = await authenticateMember(services, request);
  const actor = { type: 'user', id: user.id, requestId: request.id, ip: request.ip } as const;
  await enterTenant(services, request, tenant, actor);
  assertRole(request, tenant.role);
}

/** Every role reads. Who writes is said in the list of resources: owners, and admins unless it is for owners only. */
function assertRole(request: FastifyRequest, role: TenantRole): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads || role === 'owner') return;
  if (role === 'viewer') {
    throw new AppError('AUTH.ROLE_REQUIRED', 'Viewers can only read. Ask an owner of this tenant for another role.');
  }
  if (request.routeOptions.config.writeRole !== 'owner') return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners can change this. Ask an owner of this tenant to do it.');
}
