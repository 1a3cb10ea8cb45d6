import { Avatar, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import { selectTenant } from '../api/session.ts';
import { StatusBadge } from '../components/StatusBadge.tsx';
import { words } from '../lib/text.ts';
import { useMe } from './SignedIn.tsx';
import classes from './TopButton.module.css';

interface TenantSwitcherProps {
  readonly tenantId: string | null;
}

/** Shows the tenant of this tab, and switches to another one. */
export function TenantSwitcher({ tenantId }: TenantSwitcherProps) {
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
