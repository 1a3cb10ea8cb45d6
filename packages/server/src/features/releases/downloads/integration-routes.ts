import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { Services } from '../../../services.ts';
import { licenseKeyOf } from './license-header.ts';
import { refusals } from './refusals.ts';
import {
  DownloadRelease,
  FileParams,
  FindRelease,
  LatestRelease,
  NamedFileParams,
  ReleaseDownload,
} from './schemas.ts';
import { downloadFile, findLatest } from './service.ts';

const tags = ['Integration'] as const;
const scope = 'releases:read';

/** Routes by which an application finds its updates and downloads them. */
export function integrationReleaseRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/releases/latest', {
      scope,
      readsOnly: true,
      operationId: 'findLatestRelease',
      summary: 'Find an update',
      tags,
      errors: ['PRODUCT.NOT_FOUND'],
      description: 'Without a license key the response has `newest` only.',
      body: FindRelease,
      response: { 200: Envelope(LatestRelease) },
      async handler({ request, tenant, actor }) {
        return success(request, await findLatest(services, tenant, actor, request.body));
      },
    }),
    tenantRoute('POST', '/releases/:id/artifacts/:artifact_id/download', {
      scope,
      operationId: 'downloadRelease',
      summary: 'Get the link to a file',
      tags,
      errors: refusals,
      params: FileParams,
      body: DownloadRelease,
      response: { 200: Envelope(ReleaseDownload) },
      async handler({ request, reply, tenant, actor }) {
        const { id: releaseId, artifact_id: id } = request.params;
        reply.header('cache-control', 'no-store');
        const { license_key } = request.body;
        return success(request, await downloadFile(services, tenant, actor, { releaseId, id }, license_key));
      },
    }),
    tenantRoute('GET', '/releases/:id/artifacts/:artifact_id/download/:file_name', {
      scope,
      operationId: 'redirectToRelease',
      summary: 'Download a file as an updater does',
      tags,
      errors: ['LICENSE.KEY_REQUIRED', ...refusals],
      description: 'The license key is in the header `X-License-Key`. Feeds have this address.',
      params: NamedFileParams,
      response: { 302: Type.Null({ description: 'The link is in `Location`.' }) },
      async handler({ request, reply, tenant, actor }) {
        const { id: releaseId, artifact_id: id } = request.params;
        const key = licenseKeyOf(request);
        const { url } = await downloadFile(services, tenant, actor, { releaseId, id }, key);
        return reply.header('cache-control', 'no-store').redirect(url, 302);
      },
    }),
  ];
}
