import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/lib/ids.ts';
import { listAll } from '../crash/evidence.ts';
import { type TestTenant, testPassword } from '../support/accounts.ts';
import { created } from '../support/licensing-catalog.ts';

/** Called after each response with the kind of the request and its duration. */
export type OnTimed = (kind: string, durationMs: number) => void;

interface VisitedLicense {
  readonly id: string;
  readonly key: string;
  /** The ids of its activations. */
  readonly activationIds: string[];
  /** The reported usage of the entitlement `calls`. */
  usage: number;
}

interface Call {
  readonly kind: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object | string;
  readonly expected: number;
}

interface Answered {
  // biome-ignore lint/suspicious/noExplicitAny: the data of any route.
  readonly data: any;
  readonly requestId: string;
}

const importedPerFile = 50;
/** How often each step is chosen, relative to the others. */
const weights = {
  validate: 40,
  check: 8,
  certificate: 4,
  activate: 6,
  heartbeat: 8,
  deactivate: 5,
  report: 8,
  listLicenses: 3,
  listAudit: 2,
  editProduct: 4,
  logIn: 0.3,
  importFile: 0.3,
  exportFile: 0.3,
} as const;

/** Creates the licenses of a visitor. */
export async function createVisitedLicenses(tenant: TestTenant, policyId: string, count: number) {
  const licenses: VisitedLicense[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id, key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: policyId }));
    licenses.push({ id, key, activationIds: [], usage: 0 });
  }
  return licenses;
}

/** The applications and the staff of one tenant, which send requests of all kinds one after the other. */
export class Visitor {
  /** Descriptions of wrong responses. */
  readonly problems: string[] = [];
  readonly #tenant: TestTenant;
  readonly #policyId: string;
  readonly #licenses: readonly VisitedLicense[];
  readonly #random: () => number;
  /** Logins are throttled per client address. */
  readonly #clientAddress: string;
  readonly #productIds: string[] = [];
  readonly #auditedRequests: string[] = [];
  #imported = 0;
  #address = '';
  #onTimed: OnTimed = () => undefined;

  constructor(
    tenant: TestTenant,
    { policyId, licenses }: { readonly policyId: string; readonly licenses: readonly VisitedLicense[] },
    random: () => number,
  ) {
    this.#tenant = tenant;
    this.#policyId = policyId;
    this.#licenses = licenses;
    this.#random = random;
    this.#clientAddress = `10.${[0, 0, 0].map(() => Math.floor(random() * 256)).join('.')}`;
  }

  /** Sends requests until `signal` aborts, with random pauses of `pauseMs` on average. */
  async run(
    address: string,
    { signal, pauseMs, onTimed }: { signal: AbortSignal; pauseMs: number; onTimed: OnTimed },
  ): Promise<void> {
    this.#address = address;
    this.#onTimed = onTimed;
    while (!signal.aborted) {
      await this.#step();
      await delay(this.#random() * 2 * pauseMs);
    }
  }

  async #step(): Promise<void> {
    const license = this.#licenses[Math.floor(this.#random() * this.#licenses.length)];
    if (license === undefined) return;
    const path = `/api/v1/integration/licenses/${license.key}`;
    const ask = (kind: string, body: object = {}) =>
      this.#send({ kind, method: 'POST', path: `${path}/${kind}`, body, expected: 200 });
    const steps: Record<keyof typeof weights, () => Promise<unknown>> = {
      validate: () => ask('validate'),
      check: () => ask('entitlements/check', { entitlements: ['calls'] }),
      certificate: () => ask('certificate'),
      activate: () => this.#activate(license, path),
      heartbeat: async () => {
        const [id] = license.activationIds;
        const call = { method: 'POST', path: `${path}/activations/${id}/heartbeat`, body: {} } as const;
        if (id !== undefined) await this.#send({ kind: 'heartbeat', ...call, expected: 200 });
      },
      deactivate: () => this.#deactivate(license, path),
      report: () => this.#report(license, path),
      listLicenses: () => this.#read('list', '/licenses?limit=50'),
      listAudit: () => this.#read('list', '/audit-logs?limit=50'),
      editProduct: () => this.#editProduct(),
      logIn: () => this.#logIn(),
      importFile: () => this.#import(),
      exportFile: () => this.#send({ kind: 'export', ...get('/licenses/export?format=csv'), expected: 200 }),
    };
    await steps[this.#choose()]();
  }

  #choose(): keyof typeof weights {
    const names = Object.keys(weights) as (keyof typeof weights)[];
    let rest = this.#random() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    const chosen = names.find((name) => {
      rest -= weights[name];
      return rest < 0;
    });
    return chosen ?? 'validate';
  }

  #read(kind: string, path: string): Promise<unknown> {
    return this.#send({ kind, ...get(path), expected: 200 });
  }

  async #activate(license: VisitedLicense, path: string): Promise<void> {
    const call = { method: 'POST', path: `${path}/activations`, body: { fingerprint: newId() } } as const;
    const answer = await this.#change({ kind: 'activate', ...call, expected: 201 });
    if (answer !== undefined) license.activationIds.push(answer.data.id);
  }

  async #deactivate(license: VisitedLicense, path: string): Promise<void> {
    const id = license.activationIds.shift();
    if (id === undefined) return;
    const call = { method: 'POST', path: `${path}/activations/${id}/deactivate` } as const;
    await this.#change({ kind: 'deactivate', ...call, expected: 200 });
  }

  async #report(license: VisitedLicense, path: string): Promise<void> {
    const quantity = 1 + Math.floor(this.#random() * 5);
    const events = [{ entitlement: 'calls', quantity, idempotency_key: newId() }];
    const call = { kind: 'usage', method: 'POST', path: `${path}/usage`, body: { events }, expected: 200 } as const;
    const answer = await this.#send(call);
    if (answer?.data.results[0].status === 'accepted') license.usage += quantity;
    else this.problems.push(`A usage report was not accepted: ${JSON.stringify(answer?.data)}`);
  }

  /** Creates a product, renames one, or deletes one. */
  async #editProduct(): Promise<void> {
    const path = '/api/v1/tenant/products';
    const kind = 'change';
    const [id] = this.#productIds;
    const choice = this.#random();
    if (id === undefined || choice < 0.4) {
      const body = { code: newId(), name: 'Editor' };
      const answer = await this.#change({ kind, method: 'POST', path, body, expected: 201 });
      if (answer !== undefined) this.#productIds.push(answer.data.id);
    } else if (choice < 0.7) {
      await this.#change({ kind, method: 'PUT', path: `${path}/${id}`, body: { name: newId() }, expected: 200 });
    } else {
      this.#productIds.shift();
      await this.#change({ kind, method: 'DELETE', path: `${path}/${id}`, expected: 200 });
    }
  }

  async #logIn(): Promise<void> {
    const body = { email: this.#tenant.owner.email, password: testPassword, ability: 'tenant' };
    await this.#send({ kind: 'login', method: 'POST', path: '/api/auth/login', body, expected: 200 });
  }

  async #import(): Promise<void> {
    const row = JSON.stringify({ policy_id: this.#policyId });
    const body = Array.from({ length: importedPerFile }, () => row).join('\n');
    const path = '/api/v1/tenant/licenses/import';
    const answer = await this.#send({ kind: 'import', method: 'POST', path, body, expected: 200 });
    this.#imported += answer?.data.created ?? 0;
  }

  async #change(call: Call): Promise<Answered | undefined> {
    const answer = await this.#send(call);
    if (answer === undefined) return undefined;
    this.#auditedRequests.push(answer.requestId);
    return answer;
  }

  /** Sends one request. Returns undefined, and records a problem, unless the status is the expected one. */
  async #send({ kind, method, path, body, expected }: Call): Promise<Answered | undefined> {
    const requestId = newId();
    const startedMs = performance.now();
    try {
      const response = await fetch(this.#address + path, {
        method,
        headers: {
          'x-request-id': requestId,
          'x-forwarded-for': this.#clientAddress,
          ...this.#credentials(path),
          ...contentType(body),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      this.#onTimed(kind, performance.now() - startedMs);
      if (response.status === expected) {
        const isJson = response.headers.get('content-type')?.includes('json') === true;
        return { data: isJson ? JSON.parse(text).data : undefined, requestId };
      }
      this.problems.push(`${method} ${path} (${requestId}) responded with ${response.status}: ${text.slice(0, 300)}`);
    } catch (error) {
      this.problems.push(`${method} ${path} (${requestId}) had no response: ${String(error)}`);
    }
    return undefined;
  }

  #credentials(path: string): Record<string, string> {
    if (path.startsWith('/api/auth/')) return {};
    const { apiKey, owner } = this.#tenant;
    return path.startsWith('/api/v1/integration/') ? { 'x-api-key': apiKey } : owner.auth;
  }

  /** Returns a sentence for each acknowledged change that the service does not have, and each other difference. */
  async findLosses(): Promise<string[]> {
    const service = { address: this.#address };
    const { token } = this.#tenant.owner;
    const list = <Row>(path: string) => listAll<Row>(service, { token }, path);
    const audited = new Set((await list<{ request_id: string }>('/audit-logs?')).map((row) => row.request_id));
    const licenses = await list<{ id: string; activations_count: number }>('/licenses?');
    const counts = new Map(licenses.map((license) => [license.id, license.activations_count]));
    const products = new Set((await list<{ id: string }>('/products?')).map(({ id }) => id));
    const losses = this.#auditedRequests.filter((id) => !audited.has(id)).map((id) => `${id} has no audit record.`);
    losses.push(...this.#productIds.filter((id) => !products.has(id)).map((id) => `The product ${id} is missing.`));
    const expected = this.#licenses.length + this.#imported;
    if (licenses.length !== expected) losses.push(`There are ${licenses.length} licenses instead of ${expected}.`);
    for (const license of this.#licenses) {
      const active = counts.get(license.id);
      const usage = await this.#readUsage(license);
      if (active !== license.activationIds.length) losses.push(`${license.id} has ${active} activations.`);
      if (usage !== license.usage) losses.push(`${license.id} counts ${usage} calls instead of ${license.usage}.`);
    }
    return losses.map((loss) => `${this.#tenant.id}: ${loss}`);
  }

  async #readUsage({ key }: VisitedLicense): Promise<number | undefined> {
    const path = `/api/v1/integration/licenses/${key}/entitlements/check`;
    const body = { entitlements: ['calls'] };
    const answer = await this.#send({ kind: 'check', method: 'POST', path, body, expected: 200 });
    return answer?.data.entitlements[0].usage;
  }
}

function get(path: string) {
  return { method: 'GET', path: `/api/v1/tenant${path}` } as const;
}

function contentType(body: object | string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' };
}
