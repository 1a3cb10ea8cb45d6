import { Drawer, Text } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: string;
  readonly children: ReactNode;
}

/** A panel beside the page. */
export function Panel({ title, isOpen, onClose, size = 'md', children }: PanelProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // An open list of a field takes Escape for itself.
    const isTaken = (event.target as HTMLElement).dataset['mantineStopPropagation'] === 'true';
    if (event.key === 'Escape' && !isTaken && !event.nativeEvent.isComposing) onClose();
  };
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
      // Mantine listens on the window, where a question that opens receives the same press and closes at once.
      closeOnEscape={false}
      onKeyDown={onKeyDown}
    >
      {children}
    </Drawer>
  );
}
