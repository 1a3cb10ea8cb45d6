import { Group, Text } from '@mantine/core';
import { Eye } from 'lucide-react';
import classes from './AdminTenantArea.module.css';

/** Says why no screen offers a change to an admin whose role only reads. */
export function AuditorBanner({ tenant }: { readonly tenant?: string }) {
  return (
    <Group className={classes['banner']} gap={8} wrap="nowrap">
      <Eye size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm">
        {tenant === undefined ? (
          'You are an auditor: you read the platform, every tenant and billing, and change only your own account.'
        ) : (
          <>
            You read <b>{tenant}</b> as an auditor. Your role changes nothing here.
          </>
        )}
      </Text>
    </Group>
  );
}
