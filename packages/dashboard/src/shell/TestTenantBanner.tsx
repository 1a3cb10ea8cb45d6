import { Group, Text } from '@mantine/core';
import type { TenantMembership } from '../api/me.ts';
import { FlaskConical } from '../icons/icons.gen.ts';
import { classNames } from '../lib/class-names.ts';
import classes from './Banner.module.css';

/** Says on every screen of a test tenant that no customer sees it. */
export function TestTenantBanner({ tenant }: { readonly tenant: TenantMembership }) {
  if (tenant.live_tenant_id === null) return null;
  return (
    <Group
      className={classNames(classes['banner'], classes['noted'])}
      gap={8}
      wrap="nowrap"
      component="aside"
      aria-label="Test tenant"
    >
      <FlaskConical size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm">
        <b>Test tenant.</b> Your customers cannot see anything in it. It is free and has small limits.
      </Text>
    </Group>
  );
}
