import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { presentCheck } from './check.ts';
import { LicenseCheck, LicenseChecksQuery } from './schemas.ts';
import { readChecks } from './service.ts';

/** Returns the route by which the vendor sees what the devices of a license asked, and what they were told. */
export function licenseChecksRoute(): TenantRoute {
  return tenantRoute('GET', '/:id/checks', {
    operationId: 'listLicenseChecks',
    summary: 'List the checks of a license',
    tags: ['Licenses'],
    errors: ['LICENSE.NOT_FOUND'],
    description:
      'Lists the recent validations and activations by applications, and the refusals, newest first. Equal ones of ' +
      'a device are one row with a count. They are written up to a few seconds late. The newest 100 of a license ' +
      'are kept, for `retention_days.checks` of the settings.',
    params: IdParams,
    querystring: LicenseChecksQuery,
    response: { 200: PageEnvelope(LicenseCheck) },
    async handler({ request, tenant }) {
      const rows = await readChecks(tenant.db, request.params.id, request.query);
      return successPage(request, { rows: rows.map(presentCheck), nextCursor: null });
    },
  });
}
