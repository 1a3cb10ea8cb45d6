import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ConnectionBudget, type ConnectionSlot, createConnectionBudget } from './connection-budget.ts';
import { Demand } from './demand.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const waitMs = 10_000;
const limit = 20;
const tenantCount = 500;
const clients = 64;
/** Milliseconds of a processor of the server, as measured. */
const cost = { open: 7, statement: 0.3, close: 1 };

/** A server whose processors each work on one thing after another. */
class Server {
  readonly #freeAtMs: number[];
  opened = 0;

  constructor(processors: number) {
    this.#freeAtMs = Array<number>(processors).fill(0);
  }

  /** Resolves when a processor has worked for `workMs` milliseconds. */
  async work(workMs: number): Promise<void> {
    const first = this.#freeAtMs.indexOf(Math.min(...this.#freeAtMs));
    const endsAtMs = Math.max(performance.now(), this.#freeAtMs[first] ?? 0) + workMs;
    this.#freeAtMs[first] = endsAtMs;
    await new Promise((resolve) => setTimeout(resolve, endsAtMs - performance.now()));
  }
}

interface Connection {
  readonly slot: ConnectionSlot;
  running: number;
  isVacated: boolean;
}

/** A tenant whose statements share one connection, as those of `PipelinedConnection` do. */
class Tenant {
  readonly #budget: ConnectionBudget;
  readonly #server: Server;
  readonly #demand = new Demand();
  #connection: Promise<Connection> | undefined;

  constructor(budget: ConnectionBudget, server: Server) {
    this.#budget = budget;
    this.#server = server;
  }

  async ask(): Promise<void> {
    this.#demand.record();
    this.#connection ??= this.#open();
    const connection = await this.#connection;
    connection.running += 1;
    if (connection.running === 1) connection.slot.work();
    await this.#server.work(cost.statement);
    connection.running -= 1;
    if (connection.running > 0) return;
    if (connection.isVacated) this.#close(connection);
    else connection.slot.rest();
  }

  async #open(): Promise<Connection> {
    const slot = await this.#budget.take('requests', () => this.#vacate(connection), this.#demand);
    const connection: Connection = { slot, running: 0, isVacated: false };
    this.#server.opened += 1;
    await this.#server.work(cost.open);
    return connection;
  }

  #vacate(connection: Connection): void {
    connection.isVacated = true;
    this.#connection = undefined;
    if (connection.running === 0) this.#close(connection);
  }

  #close({ slot }: Connection): void {
    void this.#server.work(cost.close).then(() => slot.free());
  }
}

const harmonic = (count: number) =>
  Array.from({ length: count }, (_, index) => 1 / (index + 1)).reduce((a, b) => a + b);

/** Returns a choice of tenants by Zipf's law with exponent 1, the same one in each run. */
function byZipf(): () => number {
  const total = harmonic(tenantCount);
  let state = 1;
  return () => {
    // A linear congruential generator (Numerical Recipes).
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let left = (state / 2 ** 32) * total;
    let position = 0;
    while (position < tenantCount - 1 && left > 1 / (position + 1)) {
      left -= 1 / (position + 1);
      position += 1;
    }
    return position;
  };
}

/** Returns a choice of `count` tenants in turn. */
function inTurn(count: number): () => number {
  let position = -1;
  return () => {
    position = (position + 1) % count;
    return position;
  };
}

/** Keeps 64 clients busy, each with one request at a time for the tenant that `choose` returns. */
function startLoad(processors: number, choose: () => number) {
  const budget = createConnectionBudget({ server: 'db:5432', limit, waitMs });
  const server = new Server(processors);
  const tenants = Array.from({ length: tenantCount }, () => new Tenant(budget, server));
  const result = { answers: 0, longestWaitMs: 0, isOver: false };
  const ask = async (position: number) => {
    const startedAtMs = performance.now();
    await tenants[position]?.ask();
    result.answers += 1;
    result.longestWaitMs = Math.max(result.longestWaitMs, performance.now() - startedAtMs);
  };
  const keepBusy = async () => {
    while (!result.isOver) await ask(choose());
  };
  const clientsDone = Promise.all(Array.from({ length: clients }, keepBusy));
  return {
    result,
    server,
    ask,
    /** Ends the load. Rejects if a request failed. */
    async stop() {
      result.isOver = true;
      await vi.advanceTimersByTimeAsync(waitMs);
      await clientsDone;
    },
  };
}

test('databases in demand keep their connections on a busy server, and every caller is served soon', async () => {
  const load = startLoad(2, byZipf());
  await vi.advanceTimersByTimeAsync(10_000);
  const { answers } = load.result;
  const { opened } = load.server;
  await load.stop();
  // If the connection that is idle for longest is closed for each caller, it is 0.53.
  expect(opened / answers).toBeLessThan(0.45);
  expect(load.result.longestWaitMs).toBeLessThan(1_000);
});

test('connections change their database as often as a server with free processors allows', async () => {
  const load = startLoad(32, byZipf());
  await vi.advanceTimersByTimeAsync(2_000);
  const { answers } = load.result;
  await load.stop();
  // If a quarter of the connections may change their database at a time, it is 1,470 per second.
  expect(answers).toBeGreaterThan(2 * 3_500);
});

test('a database that is used rarely is served although all others are used all the time', async () => {
  const load = startLoad(2, inTurn(limit));
  await vi.advanceTimersByTimeAsync(3_000);
  let isServed = false;
  const rare = load.ask(tenantCount - 1).then(() => {
    isServed = true;
  });
  await vi.advanceTimersByTimeAsync(waitMs / 2);
  expect(isServed).toBe(true);
  await load.stop();
  await rare;
});
