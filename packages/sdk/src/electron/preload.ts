// The preload script of pages. In a sandbox it can load nothing but `electron`, so it imports types only.
import type { LicenseState } from '../guard/state.ts';
import type { Channel } from './main.ts';
import type { LicenseBridge } from './renderer.ts';

/** What Electron gives to a sandboxed preload script. */
interface Electron {
  readonly contextBridge: { exposeInMainWorld(name: string, api: LicenseBridge): void };
  readonly ipcRenderer: {
    invoke(channel: Channel): Promise<LicenseState>;
    on(channel: Channel, listener: (event: unknown, state: LicenseState) => void): unknown;
  };
}
declare function require(name: 'electron'): Electron;

const { contextBridge, ipcRenderer } = require('electron');
const listeners = new Set<() => void>();
let state: LicenseState | null = null;

ipcRenderer.on('licensing:changed', (_event, next) => {
  state = next;
  for (const listener of listeners) listener();
});
// If the main process refuses, the console of the page shows why.
void ipcRenderer.invoke('licensing:subscribe');

contextBridge.exposeInMainWorld('licensing', {
  state: () => state,
  onChange(changed) {
    const listener = () => changed();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  refresh: () => ipcRenderer.invoke('licensing:refresh'),
});
