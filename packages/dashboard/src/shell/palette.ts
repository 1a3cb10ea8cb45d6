import { createSpotlight } from '@mantine/spotlight';
import { useEffect, useSyncExternalStore } from 'react';
import type { IconComponent } from '../icons/icon.ts';

const [store, palette] = createSpotlight();

/** The command palette's state: the palette is one per page. */
export const paletteStore = store;

/** Opens the command palette. */
export function openPalette(): void {
  palette.open();
}

/** The name of the key of shortcuts on this computer. */
export const modifierKey = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl';

/** An action on the object that the screen shows. */
interface PaletteAction {
  readonly label: string;
  readonly icon: IconComponent;
  readonly run: () => void;
}

let current: readonly PaletteAction[] = [];
const listeners = new Set<() => void>();

function set(actions: readonly PaletteAction[]): void {
  current = actions;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the actions of the screen that is open. */
export function usePaletteActions(): readonly PaletteAction[] {
  return useSyncExternalStore(subscribe, () => current);
}

/** Offers a screen's actions in the command palette while the screen is open. Memoize `actions`. */
export function useOfferActions(actions: readonly PaletteAction[]): void {
  useEffect(() => {
    set(actions);
    return () => set([]);
  }, [actions]);
}
