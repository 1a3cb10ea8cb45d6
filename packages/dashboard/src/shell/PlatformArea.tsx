import { Group, Text } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { AdminRights, Surface } from '../surfaces.ts';
import { AuditorBanner } from './AuditorBanner.tsx';
import { Logo } from './Logo.tsx';
import { platformNavigation } from './navigation.ts';
import { Shell } from './Shell.tsx';
import { useMe } from './SignedIn.tsx';
import { AreaNameContext, SurfaceContext } from './surface-context.ts';

const noRights: AdminRights = { platform: 'none', billing: 'none', admins: 'none', account: 'none' };

/** Returns what the current admin's role may do, as the service says. */
export function useAdminRights(): AdminRights {
  return useMe().admin?.rights ?? noRights;
}

/** Returns whether the admin can read the billing administration. */
export function useReadsBilling(): boolean {
  return useAdminRights().billing !== 'none';
}

/** Returns whether the admin can change billing. */
export function useWritesBilling(): boolean {
  return useAdminRights().billing === 'write';
}

/** Returns whether the admin can change the platform. */
export function useWritesPlatform(): boolean {
  return useAdminRights().platform === 'write';
}

/** Returns the surface of admins, outside a tenant or inside one. */
export function useAdminSurface(tenantId: string | null): Surface {
  const { admin } = useMe();
  const role = admin?.role ?? 'admin';
  const rights = admin?.rights ?? noRights;
  const prefix = tenantId === null ? '/admin' : `/admin/tenants/${tenantId}`;
  return useMemo(() => ({ area: 'admin', tenantId, prefix, role, rights }), [tenantId, prefix, role, rights]);
}

/** The frame of the platform's screens, for admins. */
export function PlatformArea() {
  const surface = useAdminSurface(null);
  const readsBilling = useReadsBilling();
  const writes = useWritesPlatform();
  const top = (
    <Group gap={8} h={36} px={6} wrap="nowrap">
      <Logo />
      <Text size="xs" c="dimmed" fw={500}>
        Admin
      </Text>
    </Group>
  );
  return (
    <SurfaceContext value={surface}>
      <AreaNameContext value="Admin">
        <Shell groups={platformNavigation(readsBilling)} top={top} banner={!writes && <AuditorBanner />}>
          <Outlet />
        </Shell>
      </AreaNameContext>
    </SurfaceContext>
  );
}
