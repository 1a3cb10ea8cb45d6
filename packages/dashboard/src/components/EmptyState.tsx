import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import type { IconComponent } from '../icons/icon.ts';
import { Inbox } from '../icons/icons.gen.ts';

/** What a list without entries says. */
export interface EmptyStateProps {
  readonly icon?: IconComponent;
  readonly title: string;
  /** The purpose of the resource, in one or two sentences. */
  readonly description: ReactNode;
  /** The first step. */
  readonly action?: ReactNode;
  /** What the list shows instead while its filters match nothing; false without filters. */
  readonly noMatch?: false | Omit<EmptyStateProps, 'noMatch'>;
}

/** What a list without entries shows: the purpose of the resource and the first step. */
export function EmptyState({ noMatch = false, ...props }: EmptyStateProps) {
  const { icon: Icon = Inbox, title, description, action } = noMatch || props;
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon variant="light" color="gray" size={40} radius="md" mb={4}>
        <Icon size={20} aria-hidden="true" />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" maw={440} component="div">
        {description}
      </Text>
      {action !== undefined && <Stack mt="xs">{action}</Stack>}
    </Stack>
  );
}
