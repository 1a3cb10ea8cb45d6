// The main process of a desktop application, product `editor`. Its pages use `ipcRenderer.invoke('license:state')`,
// `license:enter-key`, `license:check-again` and `document:export`, and hear `license:changed`.
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LicenseGuard, LicensingClient } from '@licensing/sdk';
import { fileStore, machineFingerprint } from '@licensing/sdk/node';
import { app, BrowserWindow, dialog, ipcMain } from 'electron';
import vendor from './vendor.json' with { type: 'json' };

const product = 'editor';
const client = new LicensingClient(vendor);
const machine = { fingerprint: machineFingerprint({ product }), deviceName: hostname() };
const keyFile = () => join(app.getPath('userData'), 'license-key');
/** @type {LicenseGuard | undefined} */
let guard;
/** @type {Promise<unknown>} */
let replaced = Promise.resolve();

/** Returns what a page shows. The license key stays in this process. @param {LicenseGuard} current */
function shown({ state }) {
  const { status, reason, until } = state;
  const codes = state.entitlements.map(({ code }) => code);
  return { status, reason, message: messageOf(state), entitlements: codes, until: until?.toISOString() ?? null };
}

/** @param {import('@licensing/sdk').GuardState} state */
function messageOf({ status, reason, detail, until }) {
  if (status === 'licensed') return 'Your license is valid.';
  if (status === 'offline') return `You are offline. You can work until ${until?.toLocaleString('en')}.`;
  if (reason === 'LICENSE.KEY_MISSING') return 'Enter your license key.';
  if (reason === 'LICENSE.NOT_FOUND') return 'No license has this key. Check it for typing errors.';
  if (reason === 'LICENSE.REVOKED') return 'Your license was revoked. Write to support@example.com.';
  if (reason === 'ACTIVATION.LIMIT_REACHED') return 'Your license is in use on another computer.';
  if (reason.startsWith('NETWORK.')) return 'Connect to the internet once to activate your license.';
  return detail;
}

/** Starts the checks of a license key; of several calls, one after the other. @param {string} licenseKey */
function use(licenseKey) {
  const result = replaced.then(() => replaceGuard(licenseKey));
  replaced = result;
  return result;
}

/** @param {string} licenseKey */
async function replaceGuard(licenseKey) {
  await guard?.stop();
  const store = fileStore(join(app.getPath('userData'), 'license.json'));
  const started = new LicenseGuard({ ...vendor, ...machine, client, licenseKey, product, store });
  guard = started;
  started.on('change', () => {
    for (const { webContents } of BrowserWindow.getAllWindows()) webContents.send('license:changed', shown(started));
  });
  await started.start();
  await offerRelease(started).catch(({ message }) => dialog.showErrorBox(product, message));
  return shown(started);
}

/** If every seat is taken, offers to release a computer. @param {LicenseGuard} current */
async function offerRelease(current) {
  if (current.state.reason !== 'ACTIVATION.LIMIT_REACHED') return;
  const devices = [...(await current.devices())];
  const oldest = devices.sort((a, b) => a.lastHeartbeatAt.localeCompare(b.lastHeartbeatAt)).slice(0, 5);
  const names = oldest.map(({ name, lastHeartbeatAt: at }) => `${name ?? 'Unnamed'}, last used ${at.slice(0, 10)}`);
  const message = 'Your license is in use on as many computers as it permits. Release one of them?';
  const question = { message, buttons: [...names, 'Cancel'], cancelId: names.length };
  const { response } = await dialog.showMessageBox(question);
  if (oldest[response]) await current.releaseDevice(oldest[response].id);
}

function openWindow() {
  const window = new BrowserWindow({ webPreferences: { contextIsolation: true, sandbox: true } });
  void window.loadURL('data:text/html,<title>Editor</title><h1>The page of your application</h1>');
}

ipcMain.handle('license:state', () => guard && shown(guard));
ipcMain.handle('license:enter-key', async (_event, key) => {
  // What a page sends may be anything.
  const licenseKey = typeof key === 'string' ? key.trim() : '';
  const result = await use(licenseKey);
  if (result.status !== 'unlicensed') await writeFile(keyFile(), licenseKey, { mode: 0o600 });
  return result;
});
ipcMain.handle('license:check-again', async () => {
  await guard?.refresh();
  return guard && shown(guard);
});
ipcMain.handle('document:export', (_event, text) => {
  // The main process decides, because a user can change a page with its developer tools.
  if (!guard?.has('export')) return { error: 'Your license does not include export.' };
  return { html: `<pre>${String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;')}</pre>` };
});

app.on('window-all-closed', () => app.quit());
app.on('before-quit', (event) => {
  if (guard === undefined) return;
  // A floating seat is released first; then quit() comes here again.
  event.preventDefault();
  const stopped = guard.stop();
  guard = undefined;
  void stopped.then(() => app.quit());
});

// Two copies would write to the same store.
if (app.requestSingleInstanceLock()) {
  // Not `await`: Electron is ready only after this module has been loaded.
  void app.whenReady().then(async () => {
    const licenseKey = await readFile(keyFile(), 'utf8').catch(() => '');
    // The window does not wait for the license.
    openWindow();
    await use(licenseKey);
  });
} else {
  app.quit();
}
