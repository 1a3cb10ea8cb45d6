// A browser application, product `sketch`. The guard keeps the certificate in localStorage, so an outage of the licensing
// service does not end it.
import { LicenseGuard, LicensingClient, webStore } from '@licensing/sdk';
import vendor from './vendor.json' with { type: 'json' };

const client = new LicensingClient(vendor);
const message = element('message', HTMLElement);
const keyField = element('key', HTMLInputElement);
const exportButton = element('export', HTMLButtonElement);
let guard = guardOf(localStorage.getItem('sketch-key') ?? '');

/** @template {HTMLElement} E @param {string} id @param {new () => E} type @returns {E} */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page lacks #${id}.`);
  return found;
}

/** Returns the id of this browser. It has none of the machine, so a random one is kept. */
function fingerprint() {
  const id = localStorage.getItem('sketch-device') ?? crypto.randomUUID();
  localStorage.setItem('sketch-device', id);
  return id;
}

/** @param {string} licenseKey */
function guardOf(licenseKey) {
  const options = { ...vendor, client, licenseKey, product: 'sketch', fingerprint: fingerprint() };
  const created = new LicenseGuard({ ...options, deviceName: 'Browser', store: webStore('sketch-license') });
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
  if (reason.startsWith('NETWORK.')) return 'Your license cannot be checked. Connect to the internet.';
  return detail;
}

function show() {
  message.textContent = messageOf(guard.state);
  message.dataset['status'] = guard.state.status;
  exportButton.disabled = !guard.has('export');
  exportButton.title = guard.has('export') ? '' : 'Your license does not include export.';
}

element('form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  await guard.stop();
  const key = keyField.value.trim();
  guard = guardOf(key);
  const { status } = await guard.start();
  if (status !== 'unlicensed') localStorage.setItem('sketch-key', key);
  show();
});
const checkAgain = () => guard.refresh().then(show);
element('refresh', HTMLButtonElement).addEventListener('click', checkAgain);
addEventListener('online', checkAgain);
exportButton.addEventListener('click', () => print());

await guard.start();
show();
