import { findRow } from '../../../db/rows.ts';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { tryFlag } from './evaluation-service.ts';
import { listFlags } from './queries.ts';
import {
  CreateFeatureFlag,
  FeatureFlag,
  FeatureFlagsQuery,
  FeatureFlagTrial,
  TryFeatureFlag,
  UpdateFeatureFlag,
} from './schemas.ts';
import { createFlag, deleteFlag, flagNotFound, presentFlag, updateFlag } from './service.ts';

const tags = ['Feature flags'] as const;
const response = { 200: Envelope(FeatureFlag) };

/** Registers the routes with which admins list, create, read, change and delete the feature flags of the platform. */
export function featureFlagRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/feature-flags', {
      operationId: 'adminListFeatureFlags',
      summary: 'List feature flags',
      tags,
      querystring: FeatureFlagsQuery,
      response: { 200: PageEnvelope(FeatureFlag) },
      async handler({ request }) {
        const page = toPage(await listFlags(services.platform, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentFlag) });
      },
    }),
    adminRoute('POST', '/feature-flags', {
      operationId: 'adminCreateFeatureFlag',
      summary: 'Create a feature flag',
      tags,
      errors: ['FEATURE_FLAG.KEY_TAKEN', 'FEATURE_FLAG.TOO_MANY'],
      description: 'A definition that flagd cannot evaluate is refused. The error lists the path of every mistake.',
      body: CreateFeatureFlag,
      response: { 201: Envelope(FeatureFlag) },
      async handler({ request, reply, actor }) {
        const row = await createFlag(services, actor, request.body);
        reply.status(201);
        return success(request, presentFlag(row));
      },
    }),
    adminRoute('POST', '/feature-flags/try', {
      operationId: 'adminTryFeatureFlag',
      summary: 'Evaluate a definition for a tenant',
      tags,
      errors: ['FEATURE_FLAG.CONTEXT_INVALID', 'TENANT.NOT_FOUND'],
      description: 'Returns what an application of the tenant would get. Stores nothing.',
      body: TryFeatureFlag,
      response: { 200: Envelope(FeatureFlagTrial) },
      handler: async ({ request }) => success(request, await tryFlag(services, request.body)),
    }),
    adminRoute('GET', '/feature-flags/:id', {
      operationId: 'adminGetFeatureFlag',
      summary: 'Read a feature flag',
      tags,
      params: IdParams,
      response,
      async handler({ request }) {
        const row = orThrow(await findRow(services.platform.query, 'feature_flags', request.params.id), flagNotFound);
        return success(request, presentFlag(row));
      },
    }),
    adminRoute('PUT', '/feature-flags/:id', {
      operationId: 'adminUpdateFeatureFlag',
      summary: 'Change a feature flag',
      tags,
      errors: ['FEATURE_FLAG.KEY_TAKEN'],
      params: IdParams,
      body: UpdateFeatureFlag,
      response,
      async handler({ request, actor }) {
        return success(request, presentFlag(await updateFlag(services, actor, request.params.id, request.body)));
      },
    }),
    adminRoute('DELETE', '/feature-flags/:id', {
      operationId: 'adminDeleteFeatureFlag',
      summary: 'Delete a feature flag',
      tags,
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, actor }) {
        await deleteFlag(services, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
