import { Button, type ButtonProps } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import type { IconComponent } from '../icons/icon.ts';

interface ActionButtonProps extends Omit<ButtonProps, 'leftSection' | 'children'> {
  readonly icon: IconComponent;
  readonly label: ReactNode;
  readonly onClick: (event: MouseEvent) => void;
}

/** A button of a page or a list that starts something. */
export function ActionButton({ icon: Icon, label, ...props }: ActionButtonProps) {
  return (
    <Button leftSection={<Icon size={15} />} {...props}>
      {label}
    </Button>
  );
}
