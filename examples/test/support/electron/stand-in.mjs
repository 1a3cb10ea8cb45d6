// The part of Electron that the desktop example uses, without a display. The test plays the pages: it writes the calls of
// `ipcRenderer.invoke` to standard input, one JSON per line, and reads the results and what the pages hear.
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';

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

const windows = [];
export class BrowserWindow {
  webContents = { send: (channel, content) => print({ heard: channel, content }) };

  constructor() {
    windows.push(this);
    print({ heard: 'window' });
  }

  static getAllWindows() {
    return windows;
  }

  async loadURL() {}
}

/** @type {(choice: { response: number }) => void} */
let choose = () => undefined;
export const dialog = {
  showErrorBox: (title, content) => print({ heard: 'error-box', content: { title, content } }),
  showMessageBox: (options) =>
    new Promise((done) => {
      choose = done;
      print({ heard: 'dialog', content: options });
    }),
};

const handlers = new Map();
export const ipcMain = { handle: (channel, handler) => handlers.set(channel, handler) };
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, channel, argument, response } = JSON.parse(line);
  if (response !== undefined) return choose({ response });
  print({ id, result: await handlers.get(channel)({}, argument) });
});
