import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A titled part of a screen. */
export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <Paper component="section" p="md" aria-label={title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={2} style={{ flex: '1 1 200px' }}>
            <Heading title={title} description={description} />
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

/** A titled part of a screen that consists of a table with a frame of its own, such as `DataTable`. */
export function TitledTable({ title, description, actions, children }: SectionProps) {
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Group justify="space-between" align="flex-end" gap="xs">
        <Stack gap={2}>
          <Heading title={title} description={description} />
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

function Heading({ title, description }: Pick<SectionProps, 'title' | 'description'>) {
  return (
    <>
      <Title order={2}>{title}</Title>
      {description !== undefined && (
        <Text size="sm" c="dimmed" component="div" maw={640}>
          {description}
        </Text>
      )}
    </>
  );
}
