import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import type { ClockServices } from '../../../services.ts';
import { Settings, UpdateSettings } from './schemas.ts';
import { type RenameTenant, readSettings, updateSettings } from './service.ts';

const tags = ['Settings'] as const;

/** Routes to read and change a tenant's settings. */
export function settingsRoutes({ clock }: ClockServices, renameTenant: RenameTenant): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'getSettings',
      summary: 'Read the settings',
      tags,
      response: { 200: Envelope(Settings) },
      async handler({ request, tenant }) {
        return success(request, { name: tenant.name, ...(await readSettings(tenant.db)) });
      },
    }),
    tenantRoute('PUT', '', {
      operationId: 'updateSettings',
      summary: 'Change the settings',
      tags,
      description: 'An absent field keeps its value, also within `retention_days`; `null` restores the default.',
      body: UpdateSettings,
      response: { 200: Envelope(Settings) },
      async handler({ request, tenant, actor }) {
        return success(request, await updateSettings({ clock, renameTenant }, tenant, actor, request.body));
      },
    }),
  ];
}
