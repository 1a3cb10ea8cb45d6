import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TenantRole } from '../db/tables/platform/identity.ts';
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
      guardHook((request) => enterAsMember(services, request, assertRole)),
    );
    registerTenantResources(app, services, 'tenant');
    done();
  };
}

type RoleCheck = (request: FastifyRequest, role: TenantRole) => void;

/** The guard of everything that a member of a tenant reaches; `assertMayEnter` says which role may do what. */
export async function enterAsMember(
  services: Services,
  request: FastifyRequest,
  assertMayEnter: RoleCheck,
): Promise<void> {
  const { user, tenant } = await authenticateMember(services, request);
  const actor = { type: 'user', id: user.id, requestId: request.id, ip: request.ip } as const;
  await enterTenant(services, request, tenant, actor);
  assertMayEnter(request, tenant.role);
}

/** Only owners, reading included. */
export function assertOwner(_request: FastifyRequest, role: TenantRole): void {
  if (role === 'owner') return;
  throw new AppError('AUTH.ROLE_REQUIRED', 'Only owners see and change this. Ask an owner of this tenant.');
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
