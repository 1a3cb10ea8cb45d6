// The license of the application, product `editor`: one guard for all components, created once.
import { LicenseGuard, LicensingClient, webStore } from '@licensing/sdk';
import { useLicense } from '@licensing/sdk/react';
import vendor from './vendor.json' with { type: 'json' };

localStorage['editor-device'] ??= crypto.randomUUID(); // A page cannot read the id of its machine.

export const guard = new LicenseGuard({
  ...vendor,
  client: new LicensingClient(vendor),
  // The store keeps the key that the user enters.
  licenseKey: '',
  product: 'editor',
  fingerprint: localStorage['editor-device'],
  deviceName: 'Browser',
  store: webStore('editor-license'),
});

/** Returns the license, and renders the component again when it changes. The first component starts the guard. */
export const useEditorLicense = () => useLicense(guard);

/** Returns what a user reads. @param {Pick<import('@licensing/sdk').GuardState, 'status' | 'reason' | 'message' | 'until'>} state */
export function messageOf({ status, reason, message, until }) {
  if (status === 'licensed') return 'Your license is valid.';
  if (status === 'offline') return `Offline. You can work until ${until?.toLocaleString()}.`;
  if (reason === 'LICENSE.KEY_MISSING') return 'Enter your license key.';
  if (reason === 'LICENSE.NOT_FOUND') return 'No license has this key. Check it for typing errors.';
  if (reason === 'LICENSE.REVOKED') return 'Your license was revoked. Write to support@example.com.';
  if (reason === 'ACTIVATION.LIMIT_REACHED') return 'All devices of your license are in use.';
  if (reason.startsWith('NETWORK.')) return 'Your license cannot be checked. Connect to the internet.';
  return message;
}
