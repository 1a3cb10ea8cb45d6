import { Group, Text } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type AdminRole, allowsBillingReads, type Surface } from '../surfaces.ts';
import { Logo } from './Logo.tsx';
import { platformNavigation } from './navigation.ts';
import { Shell } from './Shell.tsx';
import { useMe } from './SignedIn.tsx';
import { AreaNameContext, SurfaceContext } from './surface-context.ts';

/** Returns the current admin's role. */
export function useAdminRole(): AdminRole {
  return useMe().admin?.role ?? 'admin';
}

/** Returns whether the admin can read the billing administration. */
export function useReadsBilling(): boolean {
  return allowsBillingReads(useAdminRole());
}

/** The frame of the platform's screens, for admins. */
export function PlatformArea() {
  const role = useAdminRole();
  const surface = useMemo<Surface>(() => ({ area: 'admin', tenantId: null, prefix: '/admin', role }), [role]);
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
        <Shell groups={platformNavigation(role)} top={top}>
          <Outlet />
        </Shell>
      </AreaNameContext>
    </SurfaceContext>
  );
}
