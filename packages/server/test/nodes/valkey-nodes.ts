import { afterAll, beforeAll } from 'vitest';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { startValkey, type ValkeyServer } from '../support/valkey-server.ts';

/** Two services on one platform database and one Valkey. */
export interface ValkeyNodes {
  readonly valkey: ValkeyServer;
  readonly site: TestSite;
  readonly nodes: readonly [TestApp, TestApp];
  readonly admin: Account;
  /** Runs `work` `times` times concurrently, alternating between the nodes. */
  inTurn(times: number, work: (node: TestApp) => Promise<Answer>): Promise<Answer[]>;
  /** Creates a tenant with this limit of Integration requests per minute. */
  newTenant(ceiling: number): Promise<TestTenant>;
}

/** Starts two nodes for a whole suite file. Only on PostgreSQL. */
export function useValkeyNodes(): ValkeyNodes {
  let running: Pick<ValkeyNodes, 'valkey' | 'site' | 'nodes' | 'admin'> | undefined;
  const started = () => {
    if (running === undefined) throw new Error('The nodes run only inside tests and hooks.');
    return running;
  };
  beforeAll(async () => {
    const [valkey, site] = [await startValkey(), await createSite()];
    const env = { VALKEY_URL: valkey.url };
    const nodes = [await startApp(site, env), await startApp(site, env)] as const;
    running = { valkey, site, nodes, admin: await createAdmin(nodes[0]) };
  });
  afterAll(async () => {
    const { valkey, site, nodes } = started();
    try {
      for (const node of nodes) await stopApp(node);
    } finally {
      await site.remove();
      await valkey.stop();
    }
  });
  return {
    get valkey() {
      return started().valkey;
    },
    get site() {
      return started().site;
    },
    get nodes() {
      return started().nodes;
    },
    get admin() {
      return started().admin;
    },
    inTurn: (times, work) => {
      const { nodes } = started();
      return Promise.all(Array.from({ length: times }, (_, turn) => work(nodes[turn % 2 === 0 ? 0 : 1])));
    },
    async newTenant(ceiling) {
      const { nodes, admin } = started();
      const tenant = await createTenant(nodes[0], admin);
      const url = `/api/v1/admin/tenants/${tenant.id}`;
      const payload = { limits: { integration_requests_per_minute: ceiling } };
      await nodes[0].request({ method: 'PATCH', url, headers: admin.auth, payload });
      return tenant;
    },
  };
}

/** Validates an unknown license on a node. */
export function validateOn(node: TestApp, apiKey: string): Promise<Answer> {
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  return node.request({ method: 'POST', url, headers: { 'x-api-key': apiKey } });
}

/** Counts responses by error code, or by status when there is none. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = body.error?.code ?? status;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
