import { Avatar, Button, Group, Menu, Stack, Text, UnstyledButton } from '@mantine/core';
import { Link, Navigate, Outlet, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { type TenantMembership, tenantOf } from '../api/me.ts';
import { selectTenant, useSelectedTenantId } from '../api/session.ts';
import { StatusBadge } from '../components/StatusBadge.tsx';
import { DemoBanner } from '../features/demo-data/DemoBanner.tsx';
import { Check, ChevronRight, ChevronsUpDown, Plus } from '../icons/icons.gen.ts';
import { words } from '../lib/text.ts';
import type { Surface } from '../surfaces.ts';
import { CenteredPage } from './CenteredPage.tsx';
import { tenantNavigation } from './navigation.ts';
import { PaymentBanner } from './PaymentBanner.tsx';
import { Shell } from './Shell.tsx';
import { useMe } from './SignedIn.tsx';
import { AreaNameContext, SurfaceContext } from './surface-context.ts';
import { TenantTimeZone } from './TenantTimeZone.tsx';
import { TenantUnavailable } from './TenantUnavailable.tsx';
import { TestTenantBanner } from './TestTenantBanner.tsx';
import classes from './TopButton.module.css';

// Loaded with the frame, which it reads for.
export { prefetchSettings } from './prefetch.ts';

/** Returns the tenant of this tab. */
function useTenant(): TenantMembership | undefined {
  return tenantOf(useMe(), useSelectedTenantId());
}

/** The frame of a tenant user's screens, also for a person who has no tenant yet. */
function UserShell({ children }: { readonly children: ReactNode }) {
  const tenant = useTenant();
  const surface = useMemo<Surface>(
    () => ({ area: 'tenant', tenantId: tenant?.id ?? null, prefix: '', role: tenant?.role ?? 'viewer', rights: null }),
    [tenant?.id, tenant?.role],
  );
  return (
    <SurfaceContext value={surface}>
      <AreaNameContext value={tenant?.name ?? null}>
        <Shell
          groups={tenant === undefined ? [] : tenantNavigation(surface)}
          isClosed={tenant?.status !== 'active'}
          top={<TenantSwitcher tenantId={tenant?.id ?? null} />}
          banner={
            tenant?.status === 'active' && (
              <>
                <TestTenantBanner tenant={tenant} />
                <PaymentBanner tenant={tenant} />
                <DemoBanner tenant={tenant} />
              </>
            )
          }
        >
          {children}
        </Shell>
      </AreaNameContext>
    </SurfaceContext>
  );
}

/** The screens of a person, for whom a tenant need not be usable. */
export function PersonArea() {
  return (
    <UserShell>
      <Outlet />
    </UserShell>
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

interface TenantSwitcherProps {
  readonly tenantId: string | null;
}

/** Shows the tenant of this tab, and switches to another one. */
function TenantSwitcher({ tenantId }: TenantSwitcherProps) {
  const { tenants } = useMe();
  const navigate = useNavigate();
  const current = tenants.find(({ id }) => id === tenantId);
  const name = current?.name ?? 'Choose a tenant';
  const change = (id: string) => () => {
    selectTenant(id);
    // The open object belongs to the other tenant.
    void navigate({ to: '/overview' } as object);
  };
  return (
    <Menu position="bottom-start" width={264}>
      <Menu.Target>
        <UnstyledButton className={classes['button']}>
          <span className="visually-hidden">Tenant, </span>
          <Group gap={8} wrap="nowrap">
            <Avatar size={26} radius="sm" color="accent" variant="filled" name={name} aria-hidden="true" />
            <Text size="sm" fw={600} truncate style={{ flex: 1 }}>
              {name}
            </Text>
            <ChevronsUpDown size={14} aria-hidden="true" />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        <Menu.Label>Tenants</Menu.Label>
        {tenants.map(({ id, name: label, role, status }) => (
          <Menu.Item
            key={id}
            onClick={change(id)}
            rightSection={
              <Group gap={6} wrap="nowrap">
                {status !== 'active' && <StatusBadge status={status} />}
                {id === tenantId && <Check size={15} aria-label="Current" />}
              </Group>
            }
          >
            <Text size="sm" truncate>
              {label}
            </Text>
            <Text size="xs" c="dimmed">
              {words(role)}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/welcome" leftSection={<Plus size={15} aria-hidden="true" />}>
          New tenant
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
