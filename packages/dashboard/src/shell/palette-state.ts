import { createSpotlight } from '@mantine/spotlight';

const [store, palette] = createSpotlight();

/** The command palette's state: the palette is one per page. */
export const paletteStore = store;

/** Opens the command palette. */
export function openPalette(): void {
  palette.open();
}

/** The name of the key of shortcuts on this computer. */
export const modifierKey = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl';
