import { Type } from 'typebox';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import {
  CreateRelease,
  Release,
  ReleaseDownloads,
  ReleaseDownloadsQuery,
  ReleaseParams,
  ReleasesQuery,
  UpdateRelease,
  YankRelease,
} from './schemas.ts';
import {
  createRelease,
  deleteRelease,
  publishRelease,
  readDownloads,
  readRelease,
  readReleases,
  updateRelease,
  yankRelease,
} from './service.ts';

const tags = ['Releases'] as const;

const named = ({ id, release_id }: { readonly id: string; readonly release_id: string }) => ({
  productId: id,
  id: release_id,
});

/** Routes that manage the releases of a product, below `/products`. */
export function releaseRoutes(services: Services): TenantRoute[] {
  return [...readingRoutes(services), ...writingRoutes(services), ...statusRoutes(services)];
}

function readingRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id/releases', {
      operationId: 'listReleases',
      summary: 'List the releases of a product, newest version first',
      tags,
      params: IdParams,
      querystring: ReleasesQuery,
      response: { 200: PageEnvelope(Release) },
      async handler({ request, tenant }) {
        return successPage(request, await readReleases(tenant, request.params.id, request.query));
      },
    }),
    tenantRoute('GET', '/:id/releases/:release_id', {
      operationId: 'getRelease',
      summary: 'Read a release',
      tags,
      errors: ['RELEASE.NOT_FOUND'],
      params: ReleaseParams,
      response: { 200: Envelope(Release) },
      async handler({ request, tenant }) {
        return success(request, await readRelease(tenant, named(request.params)));
      },
    }),
    tenantRoute('GET', '/:id/releases/:release_id/downloads', {
      operationId: 'listReleaseDownloads',
      summary: 'Read the downloads of a release by day',
      tags,
      errors: ['RELEASE.NOT_FOUND'],
      description: 'By default of the last 90 days; at most 1,000 days.',
      params: ReleaseParams,
      querystring: ReleaseDownloadsQuery,
      response: { 200: Envelope(Type.Array(ReleaseDownloads)) },
      async handler({ request, tenant }) {
        return success(request, await readDownloads(services, tenant, named(request.params), request.query));
      },
    }),
  ];
}

function writingRoutes(services: Services): TenantRoute[] {
  return [
    creatingRoute(services, '/:id/releases', {
      operationId: 'createRelease',
      summary: 'Create a draft of a release',
      tags,
      errors: ['RELEASE.VERSION_TAKEN'],
      params: IdParams,
      body: CreateRelease,
      response: { 201: Envelope(Release) },
      create: ({ request, tenant, actor }) => createRelease(services, tenant, actor, request.params.id, request.body),
      answer: (release) => ({ status: 201, data: release }),
    }),
    tenantRoute('PUT', '/:id/releases/:release_id', {
      operationId: 'updateRelease',
      summary: 'Change a draft',
      tags,
      errors: ['RELEASE.NOT_FOUND', 'RELEASE.VERSION_TAKEN', 'RELEASE.TRANSITION_INVALID'],
      params: ReleaseParams,
      body: UpdateRelease,
      response: { 200: Envelope(Release) },
      async handler({ request, tenant, actor }) {
        const release = await updateRelease(services, tenant, actor, named(request.params), request.body);
        return success(request, release);
      },
    }),
    tenantRoute('DELETE', '/:id/releases/:release_id', {
      operationId: 'deleteRelease',
      summary: 'Delete a draft',
      tags,
      errors: ['RELEASE.NOT_FOUND', 'RELEASE.TRANSITION_INVALID'],
      params: ReleaseParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteRelease(services, tenant, actor, named(request.params));
        return successDeleted(request, request.params.release_id);
      },
    }),
  ];
}

function statusRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/:id/releases/:release_id/publish', {
      operationId: 'publishRelease',
      summary: 'Publish a release',
      tags,
      errors: ['RELEASE.NOT_FOUND', 'RELEASE.TRANSITION_INVALID', 'RELEASE.ARTIFACT_REQUIRED'],
      description: 'A repeated request changes nothing.',
      params: ReleaseParams,
      body: NoFields,
      response: { 200: Envelope(Release) },
      async handler({ request, tenant, actor }) {
        return success(request, await publishRelease(services, tenant, actor, named(request.params)));
      },
    }),
    tenantRoute('POST', '/:id/releases/:release_id/yank', {
      operationId: 'yankRelease',
      summary: 'Withdraw a published release',
      tags,
      errors: ['RELEASE.NOT_FOUND', 'RELEASE.TRANSITION_INVALID'],
      description: 'Nobody can download it any more. A repeated request changes nothing.',
      params: ReleaseParams,
      body: YankRelease,
      response: { 200: Envelope(Release) },
      async handler({ request, tenant, actor }) {
        const yanked = { ...named(request.params), reason: request.body.reason };
        return success(request, await yankRelease(services, tenant, actor, yanked));
      },
    }),
  ];
}
