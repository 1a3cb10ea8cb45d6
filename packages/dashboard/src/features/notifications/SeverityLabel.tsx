import { Group, Text } from '@mantine/core';
import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { Notification } from '../../api/notifications.ts';
import { words } from '../../lib/text.ts';

const icons = { critical: CircleAlert, warning: TriangleAlert, info: Info };
const colors = {
  critical: 'var(--mantine-color-red-text)',
  warning: 'var(--mantine-color-yellow-text)',
  info: 'var(--mantine-color-blue-text)',
};

/** How urgent a notification is: an icon with its own shape, and the word. */
export function SeverityLabel({ severity }: Pick<Notification, 'severity'>) {
  const Icon = icons[severity];
  return (
    <Group gap={6} wrap="nowrap" component="span" style={{ display: 'inline-flex' }}>
      <Icon size={16} aria-hidden="true" color={colors[severity]} style={{ flexShrink: 0 }} />
      <Text span inherit size="sm">
        {words(severity)}
      </Text>
    </Group>
  );
}
