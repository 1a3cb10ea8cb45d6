import { createSpotlight } from '@mantine/spotlight';

/** The command palette's state: the palette is one per page. */
export const [paletteStore, palette] = createSpotlight();

/** Opens the command palette. */
export function openPalette(): void {
  palette.open();
}
