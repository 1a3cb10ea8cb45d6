import { Type } from 'typebox';
import { Envelope, success } from '../../../http/envelope.ts';
import { holderRoute, type PortalRoute } from '../../../http/routes/holder-route.ts';
import { NoFields } from '../../../http/schema.ts';
import { throttle } from '../../../rate-limit/throttle.ts';
import type { Services } from '../../../services.ts';
import { readHeldLicense } from '../../licensing/licenses/holder-service.ts';
import { listForLicense } from '../../releases/downloads/holder-service.ts';
import { refusals } from '../../releases/downloads/refusals.ts';
import { ReleaseDownload } from '../../releases/downloads/schemas.ts';
import { downloadFileById } from '../../releases/downloads/service.ts';
import { presentFile } from '../../releases/releases/release.ts';
import { PortalFileParams, PortalVersion } from './release-schemas.ts';
import { PortalLicenseParams } from './schemas.ts';

const tags = ['Portal'] as const;

/** The routes by which a holder downloads what the license permits. */
export function holderReleaseRoutes(services: Services): PortalRoute[] {
  return [
    holderRoute('GET', '/licenses/:id/releases', {
      operationId: 'listPortalReleases',
      summary: 'List the newest 20 versions for a license of the holder',
      tags,
      errors: ['LICENSE.NOT_FOUND'],
      params: PortalLicenseParams,
      response: { 200: Envelope(Type.Array(PortalVersion)) },
      async handler({ request, tenant, holder }) {
        const { id } = await readHeldLicense(tenant.db, holder.email, request.params.id, services.clock.now());
        const releases = await listForLicense(services, tenant, id);
        return success(
          request,
          releases.map(({ row, files, code }) => ({
            ...{
              id: row.id,
              version: row.version,
              channel: row.channel,
              released_at: row.released_at ?? row.updated_at,
            },
            ...{ notes: row.notes, permitted: code === null, code, artifacts: files.map(presentFile) },
          })),
        );
      },
    }),
    holderRoute('POST', '/licenses/:id/releases/:release_id/artifacts/:artifact_id/download', {
      onRequest: throttle(services.rateLimits, { name: 'portal-download', attempts: 100, minutes: 1 }),
      operationId: 'downloadPortalRelease',
      summary: 'Get the link to a file for a license of the holder',
      tags,
      errors: [...refusals, 'RATE_LIMIT.EXCEEDED'],
      params: PortalFileParams,
      body: NoFields,
      response: { 200: Envelope(ReleaseDownload) },
      async handler({ request, reply, tenant, holder }) {
        const { id: licenseId, release_id: releaseId, artifact_id } = request.params;
        const { id } = await readHeldLicense(tenant.db, holder.email, licenseId, services.clock.now());
        reply.header('cache-control', 'no-store');
        return success(request, await downloadFileById(services, tenant, { releaseId, id: artifact_id }, id));
      },
    }),
  ];
}
