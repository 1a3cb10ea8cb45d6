// The part of Electron that the desktop example uses, without a display. A window runs its preload scripts in a sandbox,
// which can load only `electron`. The test plays the page: it writes the calls of what they expose to standard input, one
// JSON per line such as {"id":1,"call":"licensing.refresh","argument":null}, and reads the results and what pages hear.
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createContext, runInContext } from 'node:vm';

/** @param {object} message */
const print = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

class App extends EventEmitter {
  requestSingleInstanceLock() {
    return true;
  }

  getPath(name) {
    if (name !== 'userData') throw new Error(`There is no path ${name}.`);
    return process.env.USER_DATA;
  }

  async whenReady() {
    // Electron is ready after the main module has been loaded.
    await new Promise((done) => setImmediate(done));
  }

  quit() {
    let isPrevented = false;
    this.emit('before-quit', {
      preventDefault() {
        isPrevented = true;
      },
    });
    if (isPrevented) return;
    print({ heard: 'quit' });
    process.exit(0);
  }
}

export const app = new App();
// As Electron does on Linux and macOS.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => app.quit());

const handlers = new Map();
export const ipcMain = { handle: (channel, handler) => handlers.set(channel, handler) };

const preloadScripts = [];
export const session = { defaultSession: { registerPreloadScript: ({ filePath }) => preloadScripts.push(filePath) } };

/** What the preload scripts have exposed to the page. */
const exposed = {};
export class BrowserWindow {
  webContents = new EventEmitter();
  #preload;

  constructor({ webPreferences }) {
    this.#preload = webPreferences.preload;
    print({ heard: 'window' });
  }

  async loadFile() {
    const receivers = new Map();
    const senderFrame = {
      origin: process.env.PAGE_ORIGIN ?? 'file://',
      send(channel, content) {
        const copy = structuredClone(content);
        print({ heard: channel, content: copy });
        setImmediate(() => receivers.get(channel)?.({}, copy));
      },
    };
    const ipcRenderer = {
      on: (channel, listener) => receivers.set(channel, listener),
      async invoke(channel, argument) {
        return structuredClone(await handlers.get(channel)({ senderFrame }, structuredClone(argument)));
      },
    };
    const contextBridge = {
      exposeInMainWorld(name, api) {
        exposed[name] = api;
      },
    };
    for (const path of [...preloadScripts, this.#preload]) {
      const require = (name) => {
        if (name !== 'electron') throw new Error(`module not found: ${name}`);
        return { contextBridge, ipcRenderer };
      };
      runInContext(`((require) => {${readFileSync(path, 'utf8')}\n})`, createContext({}))(require);
    }
    print({ heard: 'page' });
  }
}

/** @type {(choice: { response: number }) => void} */
let choose = () => undefined;
export const dialog = {
  showMessageBox: (options) =>
    new Promise((done) => {
      choose = done;
      print({ heard: 'dialog', content: options });
    }),
};

// A refused call of a preload script is in the console of the page.
process.on('unhandledRejection', (error) => print({ heard: 'error', content: String(error) }));
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, call, argument, response } = JSON.parse(line);
  if (response !== undefined) return choose({ response });
  const [name, method] = call.split('.');
  try {
    print({ id, result: (await exposed[name][method](argument)) ?? null });
  } catch (error) {
    print({ id, error: String(error) });
  }
});
