// Performs the calls of the runner with @licensing/sdk: `node run.mjs -- node drivers/typescript.ts`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  LicensingClient,
  LicensingError,
  offlineRequest,
  readCertificateFile,
  verifyCertificate,
  verifyVerdict,
  verifyWebhook,
} from '../../src/index.ts';
import { type FingerprintOptions, machineComponents, machineFingerprint, type System } from '../../src/node/index.ts';
import { SimulatedGuards } from '../guard/simulated-guards.ts';
import type { ClientOptions, DriverAnswer, DriverRequest } from '../runner/driver.ts';
import { SimulatedTime } from './simulated-time.ts';

// The arguments come from the cases, and the functions check them.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Arguments = any;

interface Client {
  readonly sdk: LicensingClient;
  readonly time: SimulatedTime | undefined;
}

let guards = new SimulatedGuards();
const clients = new Map<string, Client>();

/** These fields contain the caller's own names, or names that are not fields of the API. */
const verbatim = new Set(['metadata', 'components', 'headers', 'env', 'files']);

const online: Readonly<Record<string, (sdk: LicensingClient, given: Arguments) => Promise<unknown>>> = {
  validate: (sdk, { licenseKey, ...question }) => sdk.validate(licenseKey, question),
  activate: (sdk, { licenseKey, ...device }) => sdk.activate(licenseKey, device),
  start_trial: (sdk, trial) => sdk.startTrial(trial as never),
  confirm_trial: (sdk, { code }) => sdk.confirmTrial(code as never),
  list_activations: (sdk, { licenseKey, ...page }) => sdk.listActivations(licenseKey, page),
  heartbeat: (sdk, { licenseKey, activationId }) => sdk.heartbeat(licenseKey, activationId),
  deactivate: (sdk, { licenseKey, activationId }) => sdk.deactivate(licenseKey, activationId),
  check_entitlements: (sdk, { licenseKey, entitlements }) => sdk.checkEntitlements(licenseKey, entitlements),
  report_usage: (sdk, { licenseKey, events }) => sdk.reportUsage(licenseKey, events),
  issue_certificate: (sdk, { licenseKey, ...terms }) => sdk.issueCertificate(licenseKey, terms),
  latest_release: (sdk, question) => sdk.latestRelease(question as never),
  download_release: (sdk, { licenseKey, releaseId, artifactId }) =>
    sdk.downloadRelease(releaseId, artifactId, licenseKey),
  jwks: (sdk, { tenantId }) => sdk.jwks(tenantId),
};

const offline: Readonly<Record<string, (given: Arguments) => Promise<unknown>>> = {
  verify_certificate: ({ token, ...options }) => verifyCertificate(token, withDate(options)),
  verify_verdict: ({ verdict, ...options }) => verifyVerdict(verdict, withDate(options)),
  verify_webhook: ({ body, headers, secret, ...options }) => verifyWebhook(body, headers, secret, withDate(options)),
  machine_fingerprint: async (given) => ({ fingerprint: await onSystem(given, machineFingerprint) }),
  machine_components: async (given) => ({ components: await onSystem(given, machineComponents) }),
  offline_request: async (options) => JSON.parse(offlineRequest(withDate(options))),
  read_certificate_file: async ({ file }) => readCertificateFile(file),
};

/** What a function finds on a machine with an id, or on an operating system with these contents. */
async function onSystem<Found>(
  { product, machineId, system, storedId = '' }: Arguments,
  find: (options: FingerprintOptions) => Promise<Found>,
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-conformance-'));
  try {
    const path = join(folder, 'machine-id');
    writeFileSync(path, storedId);
    const contents = system ?? { platform: 'linux', files: { '/etc/machine-id': machineId } };
    return await find({ product, path, system: systemWith(contents) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function systemWith({ platform, env = {}, files = {}, ioreg, ...values }: Arguments): System {
  const registry: Readonly<Record<string, string | undefined>> = {
    MachineGuid: values.machineGuid,
    LastConfig: values.hardwareId,
    ProcessorNameString: values.cpuName,
  };
  const missing = () => Promise.reject(new Error('There is no such file or program.'));
  return {
    ...{ platform, env, homeFolder: () => '/' },
    exists: async (path) => path in files,
    readText: async (path) => files[path] ?? missing(),
    run: async (program, [, , , name = '']) => {
      if (!program.endsWith('reg.exe')) return (program.endsWith('ioreg') ? ioreg : values.cpuName) ?? missing();
      const value = registry[name];
      return value === undefined ? missing() : `\r\n    ${name}    REG_SZ    ${value}\r\n\r\n`;
    },
  };
}

/** The cases give the time in seconds. */
function withDate({ now, ...options }: Arguments): Arguments {
  return { ...options, now: new Date(now === undefined ? Date.now() : now * 1000) };
}

function clientOf(options: ClientOptions): Client {
  const { name, base_url: baseUrl, api_key: apiKey, timeout_ms: timeoutMs, max_retries: maxRetries } = options;
  const existing = clients.get(name);
  if (existing !== undefined) return existing;
  const time = options.is_time_simulated ? new SimulatedTime() : undefined;
  const client = { sdk: new LicensingClient({ baseUrl, apiKey, timeoutMs, maxRetries, fetch: time?.fetch }), time };
  clients.set(name, client);
  return client;
}

async function perform({ operation, client: options, arguments: given }: DriverRequest): Promise<DriverAnswer> {
  const named = fromWire(given);
  if (options === undefined) return { result: toWire(await offline[operation]?.(named)) };
  const { sdk, time } = clientOf(options);
  if (operation === 'guard_reset') guards = new SimulatedGuards();
  else if (operation.startsWith('guard_')) return await settle(() => guards.perform(operation, named, sdk));
  const call = () => settle(async () => online[operation]?.(sdk, named));
  if (time === undefined) return call();
  const { result, waitedMs } = await time.run(call);
  return { ...result, waited_ms: waitedMs };
}

async function settle(call: () => Promise<unknown>): Promise<DriverAnswer> {
  try {
    return { result: toWire(await call()) };
  } catch (error) {
    return { error: describe(error) };
  }
}

function describe(error: unknown): object {
  if (!(error instanceof LicensingError)) return { code: 'DRIVER.EXCEPTION', message: String(error) };
  const { code, message, status, requestId, details, retryAfterMs } = error;
  return { code, message, status, request_id: requestId, details, retry_after_ms: retryAfterMs };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request: DriverRequest & { readonly id: number } = JSON.parse(line);
  const answer = await perform(request).catch((error) => ({ error: describe(error) }));
  process.stdout.write(`${JSON.stringify({ id: request.id, ...answer })}\n`);
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [rename(name), verbatim.has(name) ? item : renamed(item, rename)]),
  );
}

/** Returns a value of the cases with the names of the TypeScript package. */
function fromWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()));
}

/** Returns a result of the TypeScript package with the names of the cases. */
function toWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
