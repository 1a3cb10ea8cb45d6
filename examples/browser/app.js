// A browser application, product `editor`. The guard keeps the certificate in localStorage, so an outage does not end it.
import { LicenseGuard, LicensingClient, webStore } from '@licensing/sdk';
import vendor from './vendor.json' with { type: 'json' };

const client = new LicensingClient(vendor);
localStorage['editor-device'] ??= crypto.randomUUID(); // A page cannot read the id of its machine.
const device = { fingerprint: localStorage['editor-device'], deviceName: 'Browser', store: webStore('editor-license') };
const message = element('message', HTMLElement);
const keyField = element('key', HTMLInputElement);
const exportButton = element('export', HTMLButtonElement);
const choice = element('choice', HTMLElement);
const form = element('form', HTMLFormElement);
// The store keeps the key of the trial, and later the bought one.
const guard = new LicenseGuard({ ...vendor, ...device, client, licenseKey: '', product: 'editor' });
guard.on('change', () => show());

/** @template {HTMLElement} E @param {string} id @param {new () => E} type @returns {E} */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page lacks #${id}.`);
  return found;
}

/** @param {Pick<import('@licensing/sdk').GuardState, 'status' | 'reason' | 'message' | 'until'>} state */
function messageOf({ status, reason, message, until }) {
  if (status === 'licensed') return 'Your license is valid.';
  if (status === 'offline') return `Offline. You can work until ${until?.toLocaleString()}.`;
  if (reason === 'LICENSE.KEY_MISSING') return 'Try Sketch for 14 days, or enter your license key.';
  if (reason === 'LICENSE.NOT_FOUND') return 'No license has this key. Check it for typing errors.';
  if (reason === 'LICENSE.REVOKED') return 'Your license was revoked. Write to support@example.com.';
  if (reason === 'ACTIVATION.LIMIT_REACHED') return 'All devices of your license are in use.';
  if (reason.startsWith('NETWORK.')) return 'Your license cannot be checked. Connect to the internet.';
  return message;
}

function show() {
  message.textContent = messageOf(guard.state);
  message.dataset['status'] = guard.state.status;
  exportButton.disabled = !guard.has('export');
  const isNew = guard.state.reason === 'LICENSE.KEY_MISSING';
  choice.hidden = !isNew;
  form.hidden = isNew && keyField.value === '';
}

/** Shows why the service refused, and leaves the license as it was. @param {import('@licensing/sdk').LicensingError} error */
function refuse(error) {
  message.textContent = messageOf({ status: 'unlicensed', reason: error.code, message: error.message, until: null });
}

/** Starts the trial. Asks for an address, and for the code from the mail, if the vendor wants that. */
async function startTrial() {
  const trial = await guard.startTrial().catch((error) => {
    const email =
      error.code === 'TRIAL.EMAIL_REQUIRED' && prompt('Your email address, for a code that starts the trial:');
    if (!email) throw error;
    return guard.startTrial({ email });
  });
  if (trial.status === 'started') return show();
  const code = prompt(`The code from the mail to ${trial.email}:`);
  if (code) await guard.confirmTrial(code);
  show();
}

/** If every seat is taken, lists the devices and offers to release the one that was not used for longest. */
async function offerRelease() {
  if (guard.state.reason !== 'ACTIVATION.LIMIT_REACHED') return;
  const devices = [...(await guard.devices())].sort((a, b) => a.lastHeartbeatAt.localeCompare(b.lastHeartbeatAt));
  const names = devices.map(({ name, lastHeartbeatAt: at }) => `${name ?? 'Unnamed'}, last used ${at.slice(0, 10)}`);
  const question = `Your license is in use on:\n${names.join('\n')}\n\nRelease ${names[0]}?`;
  if (devices[0] && confirm(question)) await guard.releaseDevice(devices[0].id);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void guard.activate(keyField.value.trim()).then(offerRelease).then(show, refuse);
});
element('try', HTMLButtonElement).addEventListener('click', () => void startTrial().catch(refuse));
element('have-key', HTMLButtonElement).addEventListener('click', () => {
  form.hidden = false;
  keyField.focus();
});
const checkAgain = () => guard.refresh().then(show);
element('refresh', HTMLButtonElement).addEventListener('click', checkAgain);
addEventListener('online', checkAgain);

await guard.start();
show();
