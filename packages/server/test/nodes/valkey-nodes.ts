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
  /** Does something so often at once, on the nodes in turn. */
  inTurn(times: number, work: (node: TestApp) => Promise<Answer>): Promise<Answer[]>;
  /** Makes a tenant that may send so many Integration requests a minute. */
  newTenant(ceiling: number): Promise<TestTenant>;
}

/** Two nodes for a whole suite file, made before its first test and removed after its last. PostgreSQL only. */
export function useValkeyNodes(): ValkeyNodes {
  let made: Pick<ValkeyNodes, 'valkey' | 'site' | 'nodes' | 'admin'> | undefined;
  const there = () => {
    if (made === undefined) throw new Error('The nodes are there only inside tests and hooks.');
    return made;
  };
  beforeAll(async () => {
    const [valkey, site] = [await startValkey(), await createSite()];
    const env = { VALKEY_URL: valkey.url };
    const nodes = [await startApp(site, env), await startApp(site, env)] as const;
    made = { valkey, site, nodes, admin: await createAdmin(nodes[0]) };
  });
  afterAll(async () => {
    const { valkey, site, nodes } = there();
    try {
      for (const node of nodes) await stopApp(node);
    } finally {
      await site.remove();
      await valkey.stop();
    }
  });
  return {
    get valkey() {
      return there().valkey;
    },
    get site() {
      return there().site;
    },
    get nodes() {
      return there().nodes;
    },
    get admin() {
      return there().admin;
    },
    inTurn: (times, work) => {
      const { nodes } = there();
      return Promise.all(Array.from({ length: times }, (_, turn) => work(nodes[turn % 2 === 0 ? 0 : 1])));
    },
    async newTenant(ceiling) {
      const { nodes, admin } = there();
      const tenant = await createTenant(nodes[0], admin);
      const url = `/api/v1/admin/tenants/${tenant.id}`;
      const payload = { limits: { integration_requests_per_minute: ceiling } };
      await nodes[0].request({ method: 'PATCH', url, headers: admin.auth, payload });
      return tenant;
    },
  };
}

/** Asks a node for the verdict on a license that is not there. */
export function validateOn(node: TestApp, apiKey: string): Promise<Answer> {
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  return node.request({ method: 'POST', url, headers: { 'x-api-key': apiKey } });
}

/** How often each came: of refusals the code, else the status. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = body.error?.code ?? status;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
