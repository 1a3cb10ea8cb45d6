import { Button, Stack, Text } from '@mantine/core';
import { Navigate, Outlet } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { TenantMembership } from '../api/me.ts';
import { selectTenant, useSelectedTenantId } from '../api/session.ts';
import { DemoBanner } from '../features/demo-data/DemoBanner.tsx';
import { words } from '../lib/text.ts';
import type { Surface } from '../surfaces.ts';
import { CenteredPage } from './CenteredPage.tsx';
import { tenantNavigation } from './navigation.ts';
import { Shell } from './Shell.tsx';
import { useMe } from './SignedIn.tsx';
import { AreaNameContext, SurfaceContext } from './surface-context.ts';
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

/** Asks a person with several tenants which one to open. */
function TenantPicker({ tenants }: { readonly tenants: readonly TenantMembership[] }) {
  return (
    <CenteredPage title="Choose a tenant" description="You are a member of several tenants.">
      <Stack gap="xs">
        {tenants.map(({ id, name, role, status }) => (
          <Button
            key={id}
            variant="default"
            size="md"
            justify="space-between"
            onClick={() => selectTenant(id)}
            rightSection={<ChevronRight size={16} aria-hidden="true" />}
          >
            <span>
              {name}{' '}
              <Text span size="sm" c="dimmed">
                {words(role)}
                {status !== 'active' && ` · ${words(status)}`}
              </Text>
            </span>
          </Button>
        ))}
      </Stack>
    </CenteredPage>
  );
}
