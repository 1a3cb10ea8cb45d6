import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { tally, useValkeyNodes, validateOn } from '../nodes/valkey-nodes.ts';
import type { Answer, TestApp } from '../support/harness.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1);
const suite = useValkeyNodes();

async function gauge(node: TestApp, name: string): Promise<number> {
  const { text } = await node.request({ method: 'GET', url: '/metrics' });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const untilAll = (isUp: 0 | 1) =>
  eventually(async () => {
    for (const node of suite.nodes) expect(await gauge(node, 'rate_limit_store_up')).toBe(isUp);
  });

/** Waits until each node knows of the other, through heartbeats every two seconds. */
const untilNodesAreKnown = () =>
  eventually(async () => {
    for (const node of suite.nodes) expect(await gauge(node, 'rate_limit_nodes')).toBe(2);
  });

interface Fault {
  readonly what: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const faults: readonly Fault[] = [
  { what: 'is killed and restarts empty', begin: () => suite.valkey.kill(), end: () => suite.valkey.restart() },
  {
    what: 'hangs and resumes',
    begin: async () => suite.valkey.pause(),
    end: async () => suite.valkey.resume(),
  },
];

describe.each(faults)('a Valkey that $what under traffic', ({ what, begin, end }) => {
  test(`no request fails when Valkey ${what}: each node enforces its share until the limits are shared again`, {
    timeout: 60_000 * rounds,
  }, async () => {
    const { apiKey } = await suite.newTenant(100_000_000);
    const responses: Answer[] = [];
    let isOver = false;
    const clients = [0, 1, 0, 1].map(async (at) => {
      while (!isOver) {
        responses.push(await validateOn(suite.nodes[at === 0 ? 0 : 1], apiKey));
        // Paced traffic, so that it does not take the CPU time that the recovery needs.
        await sleep(10);
      }
    });
    const someMore = async () => {
      const before = responses.length;
      await eventually(() => expect(responses.length).toBeGreaterThan(before + 20));
    };
    try {
      for (let round = 0; round < rounds; round += 1) {
        const [limited, shared] = [await suite.newTenant(20), await suite.newTenant(30)];
        await untilNodesAreKnown();
        await someMore();
        await begin();
        await untilAll(0);
        await someMore();
        for (const node of suite.nodes) {
          expect(await gauge(node, 'rate_limit_nodes')).toBe(2);
          expect(await gauge(node, 'rate_limit_own_hits_total')).toBeGreaterThan(0);
          expect((await node.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
        }
        const meanwhile = await suite.inTurn(50, (node) => validateOn(node, limited.apiKey));
        expect(tally(meanwhile)).toEqual({ 200: 20, 'RATE_LIMIT.EXCEEDED': 30 });
        await end();
        await untilAll(1);
        const afterwards = await suite.inTurn(50, (node) => validateOn(node, shared.apiKey));
        expect(tally(afterwards)).toEqual({ 200: 30, 'RATE_LIMIT.EXCEEDED': 20 });
        const remembered = await suite.inTurn(4, (node) => validateOn(node, limited.apiKey));
        expect(tally(remembered)).toEqual({ 'RATE_LIMIT.EXCEEDED': 4 });
      }
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    expect(tally(responses)).toEqual({ 200: responses.length });
  });
});
