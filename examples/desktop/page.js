// The page. It runs in a sandbox and knows nothing of the license but its state. The preload scripts define both globals.
/** @type {{ licensing: import('@licensing/sdk/electron').LicenseBridge, editor: { enterKey(key: string): Promise<{ code: string, message: string } | null>, exportDocument(text: string): Promise<{ html?: string, error?: string }> } }} */
const { licensing, editor } = /** @type {any} */ (globalThis);

/** @param {string} id */
const element = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

/** @param {{ status?: string, reason: string, message: string, until?: Date | null }} state */
function messageOf({ status, reason, message, until }) {
  if (status === 'licensed') return 'Your license is valid.';
  if (status === 'offline') return `You are offline. You can work until ${until?.toLocaleString('en')}.`;
  if (reason === 'LICENSE.KEY_MISSING') return 'Enter your license key.';
  if (reason === 'LICENSE.NOT_FOUND') return 'No license has this key. Check it for typing errors.';
  if (reason === 'LICENSE.REVOKED') return 'Your license was revoked. Write to support@example.com.';
  if (reason === 'ACTIVATION.LIMIT_REACHED') return 'Your license is in use on another computer.';
  if (reason.startsWith('NETWORK.')) return 'Connect to the internet once to activate your license.';
  return message;
}

function show() {
  const state = licensing.state();
  element('message').textContent = state ? messageOf(state) : 'Checking your license …';
  element('form').hidden = state?.reason === 'GUARD.CHECKING' || state?.status !== 'unlicensed';
  // It only spares the user a refusal: the main process decides.
  element('export').disabled = !state?.entitlements.some(({ code }) => code === 'export');
}

element('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const refusal = await editor.enterKey(element('key').value);
  if (refusal) element('message').textContent = messageOf({ reason: refusal.code, message: refusal.message });
});
element('export').addEventListener('click', async () => {
  const { error } = await editor.exportDocument(document.title);
  if (error) element('message').textContent = error;
});
element('refresh').addEventListener('click', () => void licensing.refresh());
licensing.onChange(show);
show();
