import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { archiveRoutes } from './archiving.ts';
import { presentPolicy } from './policy.ts';
import { findPolicy, listPolicies, lockPolicy, updatePolicyRow } from './queries.ts';
import { CreatePolicy, PoliciesQuery, Policy, PolicyDetail, UpdatePolicy } from './schemas.ts';
import { createPolicy, deletePolicy, isDeletable, policyNotFound, updatePolicy } from './service.ts';

const tags = ['Policies'] as const;

/** Registers the CRUD routes of policies, the templates for the licenses of a product. */
export function policyRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listPolicies',
      summary: 'List policies',
      tags,
      querystring: PoliciesQuery,
      response: { 200: PageEnvelope(Policy) },
      async handler({ request, tenant }) {
        const page = toPage(await listPolicies(tenant.db, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentPolicy) });
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createPolicy',
      summary: 'Create a policy',
      tags,
      errors: ['POLICY.CODE_TAKEN'],
      body: CreatePolicy,
      response: { 201: Envelope(Policy) },
      create: ({ request, tenant, actor }) => createPolicy(services, tenant, actor, request.body),
      answer: (row) => ({ status: 201, data: presentPolicy(row) }),
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getPolicy',
      summary: 'Read a policy',
      tags,
      params: IdParams,
      response: { 200: Envelope(PolicyDetail) },
      async handler({ request, tenant }) {
        const row = orThrow(await findPolicy(tenant.db.query, request.params.id), policyNotFound);
        return success(request, { ...presentPolicy(row), is_deletable: await isDeletable(tenant, row) });
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updatePolicy',
      summary: 'Change a policy',
      tags,
      errors: ['POLICY.CODE_TAKEN'],
      description:
        'The change applies to verdicts immediately. The dates of existing licenses do not change. Another `lease_seconds` ' +
        'starts now for every active device; null ends no activation.',
      params: IdParams,
      body: UpdatePolicy,
      response: { 200: Envelope(Policy) },
      async handler({ request, tenant, actor }) {
        const row = await updatePolicy(services, tenant, actor, request.params.id, request.body);
        return success(request, presentPolicy(row));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'deletePolicy',
      summary: 'Delete a policy',
      tags,
      errors: ['POLICY.IN_USE'],
      description: 'Responds with 409 `POLICY.IN_USE` if any license was ever issued under the policy.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deletePolicy(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
    ...archiveRoutes(services, {
      name: 'Policy',
      tag: tags[0],
      view: Policy,
      descriptions: {
        archive: 'No new licenses are issued under the policy. Its licenses stay as they are, and can be renewed.',
        unarchive: 'Licenses can be issued under the policy again.',
      },
      lock: lockPolicy,
      update: updatePolicyRow,
      present: presentPolicy,
      notFound: policyNotFound,
    }),
  ];
}
