import { Button, Stack, Text } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import type { TenantMembership } from '../api/me.ts';
import { selectTenant } from '../api/session.ts';
import { words } from '../lib/text.ts';
import { CenteredPage } from './CenteredPage.tsx';

/** Asks a person with several tenants which one to open. */
export function TenantPicker({ tenants }: { readonly tenants: readonly TenantMembership[] }) {
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
