import { Navigate, Outlet } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { TenantMembership } from '../api/me.ts';
import { useSelectedTenantId } from '../api/session.ts';
import { DemoBanner } from '../features/demo-data/DemoBanner.tsx';
import type { Surface } from '../surfaces.ts';
import { tenantNavigation } from './navigation.ts';
import { Shell } from './Shell.tsx';
import { useMe } from './SignedIn.tsx';
import { AreaNameContext, SurfaceContext } from './surface-context.ts';
import { TenantPicker } from './TenantPicker.tsx';
import { TenantSwitcher } from './TenantSwitcher.tsx';
import { TenantTimeZone } from './TenantTimeZone.tsx';
import { TenantUnavailable } from './TenantUnavailable.tsx';

/** Returns the tenant of this tab: the chosen one, or the only one. */
function useTenant(): TenantMembership | undefined {
  const { tenants } = useMe();
  const chosen = useSelectedTenantId();
  return tenants.find(({ id }) => id === chosen) ?? (tenants.length === 1 ? tenants[0] : undefined);
}

/** The frame of a tenant user's screens, also for a person who has no tenant yet. */
export function UserShell({ children }: { readonly children: ReactNode }) {
  const tenant = useTenant();
  const surface = useMemo<Surface>(
    () => ({ area: 'tenant', tenantId: tenant?.id ?? null, prefix: '', role: tenant?.role ?? 'viewer' }),
    [tenant?.id, tenant?.role],
  );
  return (
    <SurfaceContext value={surface}>
      <AreaNameContext value={tenant?.name ?? null}>
        <Shell
          groups={tenant === undefined ? [] : tenantNavigation(surface)}
          top={<TenantSwitcher tenantId={tenant?.id ?? null} />}
          banner={tenant?.status === 'active' && <DemoBanner />}
        >
          {children}
        </Shell>
      </AreaNameContext>
    </SurfaceContext>
  );
}

/** The screens of a tenant, for a tenant user. Without a usable tenant it explains what to do. */
export function TenantArea() {
  const { tenants } = useMe();
  const tenant = useTenant();
  if (tenants.length === 0) return <Navigate to="/welcome" replace />;
  if (tenant === undefined) return <TenantPicker tenants={tenants} />;
  return (
    <UserShell key={tenant.id}>
      {tenant.status === 'active' ? (
        <TenantTimeZone>
          <Outlet />
        </TenantTimeZone>
      ) : (
        <TenantUnavailable tenant={tenant} />
      )}
    </UserShell>
  );
}
