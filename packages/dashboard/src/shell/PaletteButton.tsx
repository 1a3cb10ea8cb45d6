import { Group, Kbd, Text, UnstyledButton } from '@mantine/core';
import { Search } from '../icons/icons.gen.ts';
import classes from './PaletteButton.module.css';
import { modifierKey, openPalette } from './palette.ts';

/** The button that opens the command palette and shows its key. */
export function PaletteButton() {
  return (
    <UnstyledButton onClick={openPalette} className={classes['button']} aria-keyshortcuts="Control+K Meta+K">
      <Group gap={8} wrap="nowrap">
        <Search size={15} aria-hidden="true" />
        <Text size="sm" style={{ flex: 1 }}>
          Search
        </Text>
        <Kbd size="xs" aria-hidden="true">
          {modifierKey} K
        </Kbd>
      </Group>
    </UnstyledButton>
  );
}
