// A browser application, product `editor`. The guard keeps the certificate in localStorage, so an outage does not end it.
import { LicenseGuard, LicensingClient, webStore } from '@licensing/sdk';
import vendor from './vendor.json' with { type: 'json' };

const client = new LicensingClient(vendor);
localStorage['editor-device'] ??= crypto.randomUUID(); // A page cannot read the id of its machine.
const device = { fingerprint: localStorage['editor-device'], deviceName: 'Browser', store: webStore('editor-license') };
const message = element('message', HTMLElement);
const keyField = element('key', HTMLInputElement);
const exportButton = element('export', HTMLButtonElement);
let guard = guardOf(localStorage.getItem('editor-key') ?? '');

/** @template {HTMLElement} E @param {string} id @param {new () => E} type @returns {E} */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page lacks #${id}.`);
  return found;
}

/** @param {string} licenseKey */
function guardOf(licenseKey) {
  const created = new LicenseGuard({ ...vendor, ...device, client, licenseKey, product: 'editor' });
  created.on('change', () => show());
  return created;
}

/** @param {import('@licensing/sdk').GuardState} state */
function messageOf({ status, reason, detail, until }) {
  if (status === 'licensed') return 'Your license is valid.';
  if (status === 'offline') return `Offline. You can work until ${until?.toLocaleString()}.`;
  if (reason === 'LICENSE.KEY_MISSING') return 'Enter your license key.';
  if (reason === 'LICENSE.NOT_FOUND') return 'No license has this key. Check it for typing errors.';
  if (reason === 'LICENSE.REVOKED') return 'Your license was revoked. Write to support@example.com.';
  if (reason === 'ACTIVATION.LIMIT_REACHED') return 'Every seat of your license is in use.';
  if (reason.startsWith('NETWORK.')) return 'Your license cannot be checked. Connect to the internet.';
  return detail;
}

function show() {
  message.textContent = messageOf(guard.state);
  message.dataset['status'] = guard.state.status;
  exportButton.disabled = !guard.has('export');
}

/** If every seat is taken, lists the devices and offers to release the one that was not used for longest. */
async function offerRelease() {
  if (guard.state.reason !== 'ACTIVATION.LIMIT_REACHED') return;
  const devices = [...(await guard.devices())].sort((a, b) => a.lastHeartbeatAt.localeCompare(b.lastHeartbeatAt));
  const names = devices.map(({ name, lastHeartbeatAt: at }) => `${name ?? 'Unnamed'}, last used ${at.slice(0, 10)}`);
  const question = `Your license is in use on:\n${names.join('\n')}\n\nRelease ${names[0]}?`;
  if (devices[0] && confirm(question)) await guard.releaseDevice(devices[0].id);
}

element('form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  await guard.stop();
  const key = keyField.value.trim();
  guard = guardOf(key);
  await guard.start();
  await offerRelease().catch(({ message }) => alert(message));
  if (guard.state.status !== 'unlicensed') localStorage.setItem('editor-key', key);
  show();
});
const checkAgain = () => guard.refresh().then(show);
element('refresh', HTMLButtonElement).addEventListener('click', checkAgain);
addEventListener('online', checkAgain);

await guard.start();
show();
