import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface DetailHeaderProps {
  readonly name: ReactNode;
  /** The status badge, and other badges. */
  readonly badges?: ReactNode;
}

/** The heading of an object's page: its name and its status. Give it to `Page` as `heading`. */
export function DetailHeader({ name, badges }: DetailHeaderProps) {
  return (
    <Group gap="xs" wrap="wrap">
      <Title order={1} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Title>
      {badges}
    </Group>
  );
}
