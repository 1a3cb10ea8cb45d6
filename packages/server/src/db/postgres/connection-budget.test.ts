import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type ConnectionBudget,
  type ConnectionSlot,
  type ConnectionUse,
  createConnectionBudget,
} from './connection-budget.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection that closes after it was vacated, as soon as it is idle. */
class Connection {
  isVacated = false;
  #isBusy = true;
  #slot: ConnectionSlot | undefined;

  static async open(budget: ConnectionBudget, use: ConnectionUse = 'requests'): Promise<Connection> {
    const connection = new Connection();
    connection.#slot = await budget.take(use, () => connection.#vacate());
    connection.#slot.work();
    return connection;
  }

  rest(): void {
    this.#isBusy = false;
    if (this.isVacated) this.#slot?.free();
    else this.#slot?.rest();
  }

  work(): void {
    this.#isBusy = true;
    this.#slot?.work();
  }

  close(): void {
    this.#slot?.free();
  }

  #vacate(): void {
    this.isVacated = true;
    if (!this.#isBusy) this.close();
  }
}

const budgetOf = (limit: number) => createConnectionBudget({ server: 'db:5432', limit, waitMs: 5_000, idleMs: 10_000 });

/** Opens a connection and then appends `name` to `order`. */
function openRecorded(
  budget: ConnectionBudget,
  name: string,
  order: string[],
  use?: ConnectionUse,
): Promise<Connection> {
  return Connection.open(budget, use).then((connection) => {
    order.push(name);
    return connection;
  });
}

describe('the connections to one server', () => {
  test('connections never exceed the budget, and waiting callers are served in order', async () => {
    const budget = budgetOf(2);
    const order: string[] = [];
    const first = await openRecorded(budget, 'first', order);
    const second = await openRecorded(budget, 'second', order);
    void openRecorded(budget, 'third', order);
    void openRecorded(budget, 'fourth', order);
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['first', 'second']);
    expect(budget.counts).toEqual({ open: 2, idle: 0, waiting: 2 });
    second.rest();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['first', 'second', 'third']);
    first.rest();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
    expect(budget.counts).toEqual({ open: 2, idle: 0, waiting: 0 });
  });

  test('an idle connection is vacated for a waiting caller, the longest idle one first', async () => {
    const budget = budgetOf(3);
    const [oldest, busy, latest] = [
      await Connection.open(budget),
      await Connection.open(budget),
      await Connection.open(budget),
    ];
    latest.rest();
    oldest.rest();
    latest.work();
    latest.rest();
    await Connection.open(budget);
    expect([oldest.isVacated, busy.isVacated, latest.isVacated]).toEqual([true, false, false]);
  });

  test('a caller that sends its next statement immediately keeps its connection', async () => {
    const budget = budgetOf(2);
    const [first] = [await Connection.open(budget), await Connection.open(budget)];
    const order: string[] = [];
    void openRecorded(budget, 'waiting', order);
    first.rest();
    first.work();
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual([]);
    expect(first.isVacated).toBe(false);
  });

  test('a connection that is always busy is vacated after its hold time for a waiting caller', async () => {
    const budget = budgetOf(2);
    const [first, second] = [await Connection.open(budget), await Connection.open(budget)];
    const order: string[] = [];
    void openRecorded(budget, 'waiting', order);
    await vi.advanceTimersByTimeAsync(260);
    expect([first.isVacated, second.isVacated]).toEqual([true, false]);
    expect(order).toEqual([]);
    first.rest();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['waiting']);
  });

  test('further connections are vacated while the vacated ones stay busy', async () => {
    const budget = budgetOf(2);
    const stuck = await Connection.open(budget);
    const busy = await Connection.open(budget);
    const order: string[] = [];
    void openRecorded(budget, 'waiting', order);
    await vi.advanceTimersByTimeAsync(300);
    expect([stuck.isVacated, busy.isVacated]).toEqual([true, true]);
    busy.rest();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['waiting']);
  });

  test('a connection that becomes idle is taken although another, vacated one stays busy', async () => {
    const budget = budgetOf(2);
    const [stuck, other] = [await Connection.open(budget), await Connection.open(budget)];
    const order: string[] = [];
    void openRecorded(budget, 'waiting', order);
    await vi.advanceTimersByTimeAsync(260);
    expect([stuck.isVacated, other.isVacated]).toEqual([true, false]);
    other.rest();
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual(['waiting']);
  });

  test('a caller that waits for too long gets an error that names the setting', async () => {
    const budget = budgetOf(2);
    await Promise.all([Connection.open(budget), Connection.open(budget)]);
    const refused = expect(Connection.open(budget)).rejects.toThrow(
      /db:5432 were busy for 5 s.*TENANT_CONNECTIONS_PER_SERVER/,
    );
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    expect(budget.counts.waiting).toBe(0);
  });

  test('requests keep half of the budget, however many bulk transactions wait', async () => {
    const budget = budgetOf(4);
    const order: string[] = [];
    const bulk = Array.from({ length: 4 }, (_, index) => openRecorded(budget, `bulk ${index}`, order, 'bulk'));
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['bulk 0', 'bulk 1']);
    await openRecorded(budget, 'request', order);
    await openRecorded(budget, 'request', order);
    (await bulk[0])?.close();
    await vi.advanceTimersByTimeAsync(200);
    expect(order).toContain('bulk 2');
    expect(budget.counts).toMatchObject({ open: 4, waiting: 1 });
  });

  test('a connection that is idle for long is closed', async () => {
    const budget = budgetOf(3);
    const [first, second] = [await Connection.open(budget), await Connection.open(budget)];
    first.rest();
    await vi.advanceTimersByTimeAsync(6_000);
    second.rest();
    await vi.advanceTimersByTimeAsync(4_000);
    expect([first.isVacated, second.isVacated]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(second.isVacated).toBe(true);
    expect(budget.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
  });
});
