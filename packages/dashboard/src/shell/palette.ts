import { createSpotlight } from '@mantine/spotlight';
import { useEffect, useRef, useSyncExternalStore } from 'react';
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

/** Offers the actions of an open screen in the command palette. An entry that is false is left out. */
export function useOfferActions(offered: readonly (PaletteAction | false)[]): void {
  const actions = offered.filter((action) => action !== false);
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  // The functions are new with each rendering; the palette runs the latest one of the same name.
  const labels = actions.map(({ label }) => label).join('\n');
  useEffect(() => {
    const runOf = (label: string) => () => latest.current.find((action) => action.label === label)?.run();
    set(labels === '' ? [] : latest.current.map(({ label, icon }) => ({ label, icon, run: runOf(label) })));
    return () => set([]);
  }, [labels]);
}
