import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isObject, type JsonObject } from './json.ts';

/** A running service with a tenant for the live cases. */
export interface LiveService {
  readonly origin: string;
  readonly apiKey: string;
  /** What the steps refer to: `license_key`, `tenant_id`, `issuer`, …. */
  readonly values: JsonObject;
  stop(): Promise<void>;
}

const launcher = resolve(import.meta.dirname, '../../../server/bin/licensing.mjs');
/** What certificates name as their issuer, whatever the address of the service. */
const issuer = 'https://licensing.example.com';
const startWithinMs = 60_000;

/** Starts the service with its demo data in a temporary folder, and adds a floating and metered license. */
export async function startService(): Promise<LiveService> {
  const folder = await mkdtemp(join(tmpdir(), 'licensing-conformance-'));
  const settings = { HOST: '127.0.0.1', PORT: '0', PUBLIC_URL: issuer, LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' };
  const env = { ...process.env, DATA_DIR: folder, ...settings };
  const child = spawn(process.execPath, [launcher, 'serve', '--demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const origin = await readOrigin(child);
    const demo: unknown = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));
    const text = (...path: string[]) =>
      String(path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), demo));
    const login = { email: text('user', 'email'), password: text('user', 'password'), ability: 'tenant' };
    const values = await createLicenses(origin, login);
    return {
      origin,
      apiKey: text('apiKey'),
      values: { ...values, license_key: text('tenant', 'licenseKey'), tenant_id: text('tenant', 'id') },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the address in the first line that names one. */
function readOrigin(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('The service has no output.');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The service did not start in time.')), startWithinMs);
    child.once('exit', (code) => reject(new Error(`The service ended (${code}): see its message above.`)));
    createInterface({ input: stdout }).on('line', (line) => {
      const [, origin] = /runs on (http:\/\/[^\s,]+)/.exec(line) ?? [];
      if (origin === undefined) return;
      clearTimeout(timer);
      resolve(origin);
    });
  });
}

async function createLicenses(origin: string, login: object): Promise<JsonObject> {
  const { access_token: token } = await post(origin, '/api/auth/login', login);
  const create = (path: string, body: object) => post(origin, `/api/v1/tenant/${path}`, body, String(token));
  const product = await create('products', { code: 'conformance', name: 'Conformance' });
  // The metered entitlement `renders` is demo data.
  const policy = await create('policies', {
    product_id: product['id'],
    code: 'floating',
    name: 'Floating',
    max_activations: 1,
    require_activation: true,
    lease_seconds: 600,
    entitlements: [{ code: 'renders', limit: 10, reset: 'month', overage: 'deny' }],
  });
  const floating = await create('licenses', { policy_id: policy['id'], metadata: { seatNumber: 1, cost_center: 2 } });
  const suspended = await create('licenses', { policy_id: policy['id'] });
  await create(`licenses/${suspended['id']}/suspend`, {});
  return {
    floating_key: floating['key'] ?? null,
    floating_id: floating['id'] ?? null,
    suspended_key: suspended['key'] ?? null,
    suspended_id: suspended['id'] ?? null,
    issuer,
  };
}

async function post(origin: string, path: string, body: object, token?: string): Promise<JsonObject> {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  const data = isObject(answer) ? answer['data'] : undefined;
  if (!response.ok || !isObject(data))
    throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return data;
}
