import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import type { LicenseBridge } from '../../src/electron/index.ts';
import type { ElectronCall, ElectronFrame, ElectronIpcMain } from '../../src/electron/main.ts';

/** A page in a sandbox, with its preload script in another world. */
export interface ElectronPage {
  /** What the preload script has exposed to the page. */
  readonly licensing: LicenseBridge;
  /** Every message that the main process has sent to the page. */
  readonly messages: readonly unknown[];
  /** The errors that the console of the page shows. */
  readonly errors: readonly unknown[];
  /** Calls the main process as a preload script does. */
  invoke(channel: string): Promise<unknown>;
  /** Loads a page of another origin in the same frame, which answers nothing. */
  navigate(origin: string): void;
  close(): void;
}

/** The documented behaviour of Electron's IPC: handlers, frames with origins, structured clones, and separate worlds. */
export class ElectronProcesses implements ElectronIpcMain {
  readonly #handlers = new Map<string, (call: ElectronCall) => unknown>();

  handle(channel: string, handler: (call: ElectronCall) => unknown): void {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.#handlers.set(channel, handler);
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  /** Opens a page and runs a preload script in it. Resolves when its first messages have arrived. */
  async open(origin: string, preload: string): Promise<ElectronPage> {
    const messages: unknown[] = [];
    const errors: unknown[] = [];
    const listeners = new Map<string, (event: unknown, content: unknown) => void>();
    let current: string | null = origin;
    let receive = (channel: string, content: unknown) => listeners.get(channel)?.({}, content);
    const frame: ElectronFrame = {
      get origin() {
        if (current === null) throw new Error('Render frame was disposed before WebFrameMain could be accessed');
        return current;
      },
      send(channel, content) {
        const copy = structuredClone(content);
        messages.push(copy);
        setImmediate(() => receive(channel, copy));
      },
    };
    const invoke = async (channel: string) => {
      await new Promise(setImmediate);
      const handler = this.#handlers.get(channel);
      try {
        if (!handler) throw new Error(`No handler registered for '${channel}'`);
        return structuredClone(await handler({ senderFrame: frame }));
      } catch (cause) {
        throw new Error(`Error invoking remote method '${channel}': ${cause}`, { cause });
      }
    };
    const exposed: Record<string, unknown> = {};
    const electron = {
      contextBridge: { exposeInMainWorld: (name: string, api: unknown) => (exposed[name] = copied(api)) },
      ipcRenderer: {
        on: (channel: string, listener: (event: unknown, content: unknown) => void) => listeners.set(channel, listener),
        // What nobody catches is in the console.
        invoke: (channel: string) => {
          const result = invoke(channel);
          result.catch((error) => errors.push(error));
          return result;
        },
      },
    };
    const sandboxed = (name: string) => {
      if (name === 'electron') return electron;
      throw new Error(`module not found: ${name}`);
    };
    runInContext(`((require) => {${readFileSync(preload, 'utf8')}\n})`, createContext({}))(sandboxed);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    return {
      // The preload script of the package exposes this object.
      licensing: exposed['licensing'] as LicenseBridge,
      messages,
      errors,
      invoke,
      navigate(next) {
        current = next;
        receive = () => undefined;
      },
      close() {
        current = null;
      },
    };
  }
}

/** Copies a value from one world to another, as `contextBridge` does: functions are called through, objects are frozen. */
function copied(value: unknown): unknown {
  if (typeof value === 'function') {
    return (...args: readonly unknown[]) => {
      const result = value(...args.map(copied));
      return result instanceof Object && 'then' in result ? result.then(copied) : copied(result);
    };
  }
  if (typeof value !== 'object' || value === null || !Object.values(value).some((one) => typeof one === 'function')) {
    return structuredClone(value);
  }
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)])));
}
