import { newId } from '../../src/lib/ids.ts';
import { listAll, readUsage } from '../crash/evidence.ts';
import { type ListedLicense, wrongUsage } from '../crash/findings.ts';
import { type Account, type Answered, type Call, nothingChanges, Worker } from '../crash/worker.ts';
import { type TestTenant, testPassword } from '../support/accounts.ts';

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

/** The applications and the staff of one tenant, which send requests of all kinds one after the other. */
export class Visitor extends Worker {
  readonly #tenant: TestTenant;
  readonly #licenses: number;
  readonly #productIds: string[] = [];
  readonly #auditedRequests: string[] = [];
  #imported = 0;

  /** Logins are throttled per client address, so each visitor has its own. */
  constructor(tenant: TestTenant, account: Account, licenses: number, random: () => number) {
    super({ ...account, clientAddress: `10.${[0, 0, 0].map(() => Math.floor(random() * 256)).join('.')}` }, random);
    this.#tenant = tenant;
    this.#licenses = licenses;
  }

  protected override async step(): Promise<boolean> {
    const held = this.held[Math.floor(this.random() * this.#licenses)];
    if (held === undefined) return await this.create();
    const path = `/api/v1/integration/licenses/${held.key}`;
    const ask = (name: string, body: object = {}) => this.#send({ method: 'POST', path: `${path}/${name}`, body });
    const read = (list: string) => this.#send({ method: 'GET', path: `/api/v1/tenant${list}` });
    const steps: Record<keyof typeof weights, () => Promise<unknown>> = {
      validate: () => this.validate(held),
      check: () => ask('entitlements/check', { entitlements: ['calls'] }),
      certificate: () => ask('certificate'),
      activate: () => this.activate(held),
      heartbeat: async () => {
        const [id] = held.activationIds;
        if (id !== undefined) await ask(`activations/${id}/heartbeat`);
      },
      deactivate: () => this.deactivate(held),
      report: () => this.report(held),
      listLicenses: () => read('/licenses?limit=50'),
      listAudit: () => read('/audit-logs?limit=50'),
      editProduct: () => this.#editProduct(),
      logIn: () => this.#logIn(),
      importFile: () => this.#import(),
      exportFile: () => read('/licenses/export?format=csv'),
    };
    await steps[this.#choose()]();
    return true;
  }

  #choose(): keyof typeof weights {
    const names = Object.keys(weights) as (keyof typeof weights)[];
    let rest = this.random() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    const chosen = names.find((name) => {
      rest -= weights[name];
      return rest < 0;
    });
    return chosen ?? 'validate';
  }

  #send(call: Call, expected = 200): Promise<Answered | undefined> {
    return this.request(nothingChanges(), call, [expected]);
  }

  /** Creates a product, renames one, or deletes one. */
  async #editProduct(): Promise<void> {
    const path = '/api/v1/tenant/products';
    const [id] = this.#productIds;
    const choice = this.random();
    if (id === undefined || choice < 0.4) {
      const created = await this.#change({ method: 'POST', path, body: { code: newId(), name: 'Editor' } }, 201);
      if (created !== undefined) this.#productIds.push(created.data.id);
    } else if (choice < 0.7) {
      await this.#change({ method: 'PUT', path: `${path}/${id}`, body: { name: newId() } });
    } else {
      this.#productIds.shift();
      await this.#change({ method: 'DELETE', path: `${path}/${id}` });
    }
  }

  async #change(call: Call, expected = 200): Promise<Answered | undefined> {
    const attempt = nothingChanges();
    const answer = await this.request(attempt, call, [expected]);
    if (answer?.status === expected) this.#auditedRequests.push(...attempt.requestIds);
    return answer?.status === expected ? answer : undefined;
  }

  async #logIn(): Promise<void> {
    const body = { email: this.#tenant.owner.email, password: testPassword, ability: 'tenant' };
    await this.#send({ method: 'POST', path: '/api/auth/login', body });
  }

  async #import(): Promise<void> {
    const row = JSON.stringify({ policy_id: this.account.policyId });
    const body = Array.from({ length: importedPerFile }, () => row).join('\n');
    const answer = await this.#send({ method: 'POST', path: '/api/v1/tenant/licenses/import', body });
    this.#imported += answer?.data?.created ?? 0;
  }

  /** Returns a sentence for each acknowledged change that the service does not have, and each other difference. */
  async findLosses(address: string): Promise<string[]> {
    const list = <Row>(path: string) => listAll<Row>({ address }, this.account, path);
    const audited = new Set((await list<{ request_id: string }>('/audit-logs?')).map((row) => row.request_id));
    const licenses = await list<ListedLicense>('/licenses?');
    const counts = new Map(licenses.map((license) => [license.id, license.activations_count]));
    const products = new Set((await list<{ id: string }>('/products?')).map(({ id }) => id));
    const changes = this.attempts.filter(({ outcome }) => outcome === 'changed').flatMap((one) => one.requestIds);
    const losses = [...changes, ...this.#auditedRequests]
      .filter((id) => !audited.has(id))
      .map((id) => `${id} has no audit record.`);
    losses.push(...this.#productIds.filter((id) => !products.has(id)).map((id) => `The product ${id} is missing.`));
    const expected = this.held.length + this.#imported;
    if (licenses.length !== expected) losses.push(`There are ${licenses.length} licenses instead of ${expected}.`);
    for (const { id, activationIds } of this.held) {
      const active = counts.get(id);
      if (active !== activationIds.length) losses.push(`${id} has ${active} activations.`);
    }
    const { consumptions } = this;
    losses.push(...wrongUsage({ consumptions, usage: await readUsage({ address }, this.account, consumptions) }));
    return losses.map((loss) => `${this.#tenant.id}: ${loss}`);
  }
}
