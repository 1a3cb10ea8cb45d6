// The main process of a desktop application, product `editor`. The guard decides here; pages get its state from the
// preload script of the SDK as `window.licensing`, and call this process through `window.editor` (preload.cjs).
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LicenseGuard, LicensingClient } from '@licensing/sdk';
import { exposeLicense } from '@licensing/sdk/electron';
import { fileStore, machineFingerprint } from '@licensing/sdk/node';
import { app, BrowserWindow, dialog, ipcMain, session } from 'electron';
import vendor from './vendor.json' with { type: 'json' };

const product = 'editor';
/** Where the pages of this application come from. */
const origins = ['file://'];

/** Offers to release a computer if every seat is taken. @param {LicenseGuard} guard */
async function offerRelease(guard) {
  if (guard.state.reason !== 'ACTIVATION.LIMIT_REACHED') return;
  const devices = [...(await guard.devices())];
  const oldest = devices.sort((a, b) => a.lastHeartbeatAt.localeCompare(b.lastHeartbeatAt)).slice(0, 5);
  const names = oldest.map(({ name, lastHeartbeatAt: at }) => `${name ?? 'Unnamed'}, last used ${at.slice(0, 10)}`);
  const message = 'Your license is in use on as many computers as it permits. Release one of them?';
  const question = { message, buttons: [...names, 'Cancel'], cancelId: names.length };
  const { response } = await dialog.showMessageBox(question);
  if (oldest[response]) await guard.releaseDevice(oldest[response].id);
}

/** Answers a call of the application's own pages only. @param {string} channel @param {(argument: unknown) => unknown} answer */
function handle(channel, answer) {
  ipcMain.handle(channel, ({ senderFrame }, argument) => {
    if (!origins.includes(senderFrame?.origin ?? '')) throw new Error('Only pages of this application may ask.');
    return answer(argument);
  });
}

function openWindow() {
  const preload = join(import.meta.dirname, 'preload.cjs');
  const window = new BrowserWindow({ webPreferences: { contextIsolation: true, sandbox: true, preload } });
  // A page of another origin has no business in this window.
  window.webContents.on('will-navigate', (event) => event.preventDefault());
  void window.loadFile('index.html');
}

async function start() {
  const guard = new LicenseGuard({
    ...vendor,
    client: new LicensingClient(vendor),
    // The store keeps the key that the user enters.
    licenseKey: '',
    product,
    fingerprint: machineFingerprint({ product }),
    deviceName: hostname(),
    store: fileStore(join(app.getPath('userData'), 'license.json')),
  });
  exposeLicense({ guard, ipcMain, origins });
  handle('editor:enter-key', async (key) => {
    // What a page sends may be anything.
    const licenseKey = typeof key === 'string' ? key.trim() : '';
    try {
      await guard.activate(licenseKey);
      await offerRelease(guard);
      return null;
    } catch (error) {
      // A refused key changes nothing; the page says why.
      const { code = 'UNKNOWN', message = String(error) } = /** @type {{ code?: string, message?: string }} */ (error);
      return { code, message };
    }
  });
  handle('editor:export', (text) => {
    // The main process decides, because a user can change a page with its developer tools.
    if (!guard.has('export')) return { error: 'Your license does not include export.' };
    return { html: `<pre>${String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;')}</pre>` };
  });
  let isStopped = false;
  app.on('before-quit', (event) => {
    if (isStopped) return;
    // A floating seat is released first; then quit() comes here again.
    event.preventDefault();
    isStopped = true;
    void guard.stop().then(() => app.quit());
  });
  const filePath = fileURLToPath(import.meta.resolve('@licensing/sdk/electron/preload'));
  session.defaultSession.registerPreloadScript({ type: 'frame', filePath });
  // The window does not wait for the license.
  openWindow();
  await guard.start();
}

app.on('window-all-closed', () => app.quit());
// Two copies would write to the same store. Not `await`: Electron is ready only after this module has been loaded.
if (app.requestSingleInstanceLock()) void app.whenReady().then(start);
else app.quit();
