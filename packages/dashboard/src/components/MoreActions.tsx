import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { IconComponent } from '../icons/icon.ts';
import { Ellipsis } from '../icons/icons.gen.ts';

/** The color of an item that destroys something: the menu's own red has a contrast of 3.3:1 on white. */
export const danger = 'var(--mantine-color-error)';

interface ActionItemProps {
  readonly icon: IconComponent;
  readonly label: ReactNode;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
}

/** An item of a menu that starts something. */
export function ActionItem({ icon: Icon, label, isDangerous = false, ...props }: ActionItemProps) {
  return (
    <Menu.Item leftSection={<Icon size={15} />} {...(isDangerous && { color: danger })} {...props}>
      {label}
    </Menu.Item>
  );
}

/** The menu of the actions on a row of a list. The children are the items; `label` says what they act on. */
export function RowActions({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={label}>
          <Ellipsis size={16} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

/** The menu of the actions that a page shows no button for. The children are the items. */
export function MoreActions({ children }: { readonly children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More actions">
          <Ellipsis size={18} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
