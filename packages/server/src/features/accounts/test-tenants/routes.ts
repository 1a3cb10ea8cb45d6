import { DeletedEnvelope, Envelope, success, successDeleted } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { copyPolicyToLive } from './copy-to-live-service.ts';
import { CopiedPolicy, CopyToLive, TestTenant, TestTenantState } from './schemas.ts';
import { createTestTenant, deleteTestTenant, readTestTenant } from './service.ts';

const tags = ['Test tenant'] as const;

/** Routes by which owners create and delete the test copy of their tenant. */
export function testTenantRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'getTestTenant',
      summary: 'Read whether the tenant is or has a test copy',
      tags,
      response: { 200: Envelope(TestTenantState) },
      async handler({ request, tenant }) {
        return success(request, await readTestTenant(services, tenant.id));
      },
    }),
    tenantRoute('POST', '', {
      operationId: 'createTestTenant',
      summary: 'Create a test copy of the tenant',
      tags,
      errors: ['TEST_TENANT.NOT_LIVE'],
      description:
        'Copies entitlements, products, policies, settings and, disabled, webhook endpoints into a tenant of its own, ' +
        'for the same members. It is free and has small limits. Licenses are not copied. A ' +
        'tenant has one: a repeated request has the same copy, with 200.',
      body: NoFields,
      response: { 200: Envelope(TestTenant), 201: Envelope(TestTenant) },
      async handler({ request, reply, tenant, actor }) {
        const { test, isNew } = await createTestTenant(services, tenant, actor);
        if (isNew) reply.status(201);
        return success(request, test);
      },
    }),
    tenantRoute('DELETE', '', {
      operationId: 'deleteTestTenant',
      summary: 'Delete the test copy of the tenant',
      tags,
      errors: ['TENANT.NOT_FOUND'],
      description:
        'Deletes the test copy with everything in it, whether you send the request to the live tenant or the copy. ' +
        'You cannot undo it.',
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        return successDeleted(request, await deleteTestTenant(services, tenant.id, actor));
      },
    }),
  ];
}

/** The route by which a policy of a test tenant is copied to its live tenant. */
export function copyToLiveRoute(services: Services): TenantRoute {
  return tenantRoute('POST', '/:id/copy-to-live', {
    operationId: 'copyPolicyToLive',
    summary: 'Copy a policy of a test tenant to its live tenant',
    tags: ['Policies'],
    errors: ['TEST_TENANT.NOT_TEST', 'POLICY.CODE_TAKEN', 'PLAN.LIMIT_REACHED'],
    description:
      'Creates the policy in the live tenant, with its product and its entitlements if their codes are new there. A ' +
      'policy with the same product and code is changed only with `replace`.',
    params: IdParams,
    body: CopyToLive,
    response: { 200: Envelope(CopiedPolicy) },
    async handler({ request, tenant, actor }) {
      // The body may be absent.
      const { replace = false }: CopyToLive = request.body ?? {};
      return success(request, await copyPolicyToLive(services, tenant, actor, request.params.id, replace));
    },
  });
}
