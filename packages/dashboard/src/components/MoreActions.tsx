import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Ellipsis } from '../icons/icons.gen.ts';

/** The color of an item that destroys something: the menu's own red has a contrast of 3.3:1 on white. */
export const danger = 'var(--mantine-color-error)';

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
