import { randomBytes } from 'node:crypto';
import { updatePortalSettings } from '../../features/holders/portal/settings-service.ts';
import { AppError } from '../../lib/error.ts';
import type { Services } from '../../services.ts';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';

/** The holder of the demo's licenses, who can log in to the portal of the demo tenant. */
export const demoHolder = { name: 'Demo Customer', email: 'holder@demo.example', reference: 'demo' } as const;

/** Switches the portal of the demo tenant on. An earlier demo may still have the handle `demo`. */
export async function openDemoPortal(services: Services, tenant: Tenant, actor: Actor): Promise<void> {
  const open = (handle: string) => updatePortalSettings(services, tenant, actor, { handle, is_enabled: true });
  try {
    await open('demo');
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PORTAL.HANDLE_TAKEN')) throw error;
    await open(`demo-${randomBytes(3).toString('hex')}`);
  }
}
