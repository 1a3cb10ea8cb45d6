import { Anchor, Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { tenantQuery } from '../api/tenants.ts';
import { ArrowLeft, ShieldAlert } from '../icons/icons.gen.ts';
import { classNames } from '../lib/class-names.ts';
import { AuditorBanner } from './AuditorBanner.tsx';
import classes from './Banner.module.css';
import { tenantNavigation } from './navigation.ts';
import { PathLink } from './PathLink.tsx';
import { useAdminSurface, useWritesPlatform } from './PlatformArea.tsx';
import { Shell } from './Shell.tsx';
import { AreaNameContext, SurfaceContext } from './surface-context.ts';
import { TenantTimeZone } from './TenantTimeZone.tsx';

/** The frame of one tenant's screens on the admin surface. Its banner names the tenant. */
export function AdminTenantArea() {
  const { tenantId = '' } = useParams({ strict: false });
  const { data: tenant } = useQuery(tenantQuery(tenantId));
  const surface = useAdminSurface(tenantId);
  const top = (
    <Box px={6} py={4}>
      <Anchor component={PathLink} to="/admin/tenants" size="xs" c="dimmed">
        <Group gap={4} component="span">
          <ArrowLeft size={12} aria-hidden="true" /> All tenants
        </Group>
      </Anchor>
      <Text fw={600} size="sm" truncate>
        {tenant?.name ?? 'Tenant'}
      </Text>
    </Box>
  );
  const banner = useWritesPlatform() ? (
    <Group className={classNames(classes['banner'], classes['noted'])} gap={8} wrap="nowrap">
      <ShieldAlert size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm">
        You work in <b>{tenant?.name ?? 'a tenant'}</b> as an admin. The audit log records every change as an admin's
        change.
      </Text>
    </Group>
  ) : (
    <AuditorBanner tenant={tenant?.name ?? 'a tenant'} />
  );
  return (
    <SurfaceContext value={surface}>
      <AreaNameContext value="Admin">
        <Shell key={tenantId} groups={tenantNavigation(surface)} top={top} banner={banner}>
          {tenant?.status === 'active' ? (
            <TenantTimeZone>
              <Outlet />
            </TenantTimeZone>
          ) : (
            <Outlet />
          )}
        </Shell>
      </AreaNameContext>
    </SurfaceContext>
  );
}
