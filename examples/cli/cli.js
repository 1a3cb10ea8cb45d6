// A command-line tool of the product `editor`, which exports only with a license that grants `export`.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { LicenseGuard, LicensingClient } from '@licensing/sdk';
import { closeOnExit, fileStore, machineFingerprint } from '@licensing/sdk/node';
import vendor from './vendor.json' with { type: 'json' };

const product = 'editor';
const usage = `Usage:
  editor activate KEY   enter the license key
  editor deactivate     free the license for another machine
  editor license        show the license
  editor devices [ID]   list the machines that use the license, or release one
  editor export FILE    print a file as HTML`;
const exitCodes = { failed: 1, wrongUsage: 2, unlicensed: 3, notIncluded: 4 };

const folder = join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), product);
const keyFile = join(folder, 'license-key');
const storedKey = () => readFile(keyFile, 'utf8').catch(() => '');
// A user waits for the answer. Without it, the certificate of an earlier run decides.
const client = new LicensingClient({ ...vendor, timeoutMs: 3000, maxRetries: 1 });
const fingerprint = machineFingerprint({ product });
const machine = { fingerprint, deviceName: hostname(), store: fileStore(join(folder, 'license.json')) };

/** Prints what the user can do about it, and sets the exit code. @param {number} code @param {string} message */
function fail(code, message) {
  console.error(`editor: ${message}`);
  process.exitCode = code;
}

/** Returns the guard of a license key, which the end of the process stops. @param {string} licenseKey */
function guardOf(licenseKey) {
  const guard = new LicenseGuard({ ...vendor, ...machine, client, licenseKey, product });
  closeOnExit([guard]);
  return guard;
}

/** Says in the user's words why the license does not count. @param {import('@licensing/sdk').GuardState} state */
function advice({ reason, message }) {
  switch (reason) {
    case 'LICENSE.KEY_MISSING':
      return 'This needs a license. Enter your key with `editor activate KEY`.';
    case 'LICENSE.NOT_FOUND':
      return 'No license has this key. Check it for typing errors.';
    case 'LICENSE.REVOKED':
      return 'Your license was revoked. Write to support@example.com.';
    case 'LICENSE.EXPIRED':
      return 'Your license has ended. Renew it at https://example.com/renew.';
    case 'ACTIVATION.LIMIT_REACHED':
      return 'Your license is in use on as many machines as it permits. Release one: `editor devices` lists them.';
    case 'NETWORK.UNREACHABLE':
    case 'NETWORK.TIMEOUT':
      return 'The license cannot be checked for the first time without a network.';
    default:
      return `${message} (${reason})`;
  }
}

async function licensed() {
  const guard = guardOf(await storedKey());
  const state = await guard.start({ fresh: true });
  if (state.status === 'unlicensed') fail(exitCodes.unlicensed, advice(state));
  else if (state.status === 'grace') console.error(`editor: ${state.message}`);
  return guard;
}

async function activate(key = '') {
  if (!key) return fail(exitCodes.wrongUsage, usage);
  const state = await guardOf(key).start({ fresh: true });
  const isUnlicensed = state.status === 'unlicensed';
  if (isUnlicensed && state.reason !== 'ACTIVATION.LIMIT_REACHED') return fail(exitCodes.unlicensed, advice(state));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(keyFile, key, { mode: 0o600 });
  if (isUnlicensed) return fail(exitCodes.unlicensed, advice(state));
  console.log('Thank you. This machine is activated.');
}

async function showLicense() {
  const { status, until, entitlements, license } = (await licensed()).state;
  if (status === 'unlicensed') return;
  const end = until === null ? '' : `, without a network until ${until.toISOString()}`;
  console.log(`${status}${end}${license?.holder.name ? `, licensed to ${license.holder.name}` : ''}`);
  for (const { code } of entitlements) console.log(`includes ${code}`);
}

async function devices(id = '') {
  const guard = guardOf(await storedKey());
  if (id) await guard.releaseDevice(id);
  for (const device of await guard.devices()) {
    const seen = device.isThisDevice ? 'this machine' : `last used ${device.lastHeartbeatAt.slice(0, 10)}`;
    console.log(`${device.id}  ${device.name ?? 'unnamed'}, ${seen}`);
  }
}

async function exportFile(file = '') {
  if (!file) return fail(exitCodes.wrongUsage, usage);
  const guard = await licensed();
  if (guard.state.status === 'unlicensed') return;
  if (!guard.has('export')) return fail(exitCodes.notIncluded, 'Your license does not include export.');
  const text = await readFile(file, 'utf8');
  console.log(`<pre>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;').trimEnd()}</pre>`);
}

async function deactivate() {
  const key = await storedKey();
  if (key === '') return;
  const { activation } = await client.validate(key, { fingerprint: await fingerprint });
  if (activation) await client.deactivate(key, activation.id);
  await rm(folder, { recursive: true, force: true });
}

/** @type {Record<string, (argument?: string) => Promise<void>>} */
const commands = { activate, deactivate, devices, export: exportFile, license: showLicense };
const [command = '', argument] = process.argv.slice(2);
try {
  await (commands[command]?.(argument) ?? fail(exitCodes.wrongUsage, usage));
} catch (error) {
  fail(exitCodes.failed, error instanceof Error ? error.message : String(error));
}
