import { Drawer, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: string;
  readonly children: ReactNode;
}

/** A panel beside the page. */
export function Panel({ title, isOpen, onClose, size = 'md', children }: PanelProps) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={size}
      title={
        <Text fw={600} size="lg">
          {title}
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  );
}
