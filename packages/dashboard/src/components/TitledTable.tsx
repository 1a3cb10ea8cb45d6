import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface TitledTableProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** A table with a frame of its own, such as `DataTable`. */
  readonly children: ReactNode;
}

/** A part of a screen that consists of a table: a heading above the table's own frame. */
export function TitledTable({ title, description, actions, children }: TitledTableProps) {
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Group justify="space-between" align="flex-end" gap="xs">
        <Stack gap={2}>
          <Title order={2}>{title}</Title>
          {description !== undefined && (
            <Text size="sm" c="dimmed" component="div" maw={640}>
              {description}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
