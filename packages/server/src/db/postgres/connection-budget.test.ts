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

/** A connection that does as it is asked: closes once nothing is under way on it. */
class Connection {
  isAsked = false;
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
    if (this.isAsked) this.#slot?.free();
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
    this.isAsked = true;
    if (!this.#isBusy) this.close();
  }
}

const budgetOf = (limit: number) => createConnectionBudget({ server: 'db:5432', limit, waitMs: 5_000, idleMs: 10_000 });

/** Notes in `order` when a connection was opened. */
function openNoting(budget: ConnectionBudget, name: string, order: string[], use?: ConnectionUse): Promise<Connection> {
  return Connection.open(budget, use).then((connection) => {
    order.push(name);
    return connection;
  });
}

describe('the connections to one server', () => {
  test('are never more than the budget; who waits goes on in order', async () => {
    const budget = budgetOf(2);
    const order: string[] = [];
    const first = await openNoting(budget, 'first', order);
    const second = await openNoting(budget, 'second', order);
    void openNoting(budget, 'third', order);
    void openNoting(budget, 'fourth', order);
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

  test('give way when nothing is under way, the one that rests for the longest time first', async () => {
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
    expect([oldest.isAsked, busy.isAsked, latest.isAsked]).toEqual([true, false, false]);
  });

  test('are kept by a caller that goes on at once', async () => {
    const budget = budgetOf(2);
    const [first] = [await Connection.open(budget), await Connection.open(budget)];
    const order: string[] = [];
    void openNoting(budget, 'waiting', order);
    first.rest();
    first.work();
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual([]);
    expect(first.isAsked).toBe(false);
  });

  test('are given up after a turn by those that are always busy, and taken by who waits', async () => {
    const budget = budgetOf(2);
    const [first, second] = [await Connection.open(budget), await Connection.open(budget)];
    const order: string[] = [];
    void openNoting(budget, 'waiting', order);
    await vi.advanceTimersByTimeAsync(260);
    expect([first.isAsked, second.isAsked]).toEqual([true, false]);
    expect(order).toEqual([]);
    first.rest();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['waiting']);
  });

  test('are asked for one after the other while those that were asked stay busy', async () => {
    const budget = budgetOf(2);
    const stuck = await Connection.open(budget);
    const busy = await Connection.open(budget);
    const order: string[] = [];
    void openNoting(budget, 'waiting', order);
    await vi.advanceTimersByTimeAsync(300);
    expect([stuck.isAsked, busy.isAsked]).toEqual([true, true]);
    busy.rest();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['waiting']);
  });

  test('that begin to rest are taken although another was asked that stays busy', async () => {
    const budget = budgetOf(2);
    const [stuck, other] = [await Connection.open(budget), await Connection.open(budget)];
    const order: string[] = [];
    void openNoting(budget, 'waiting', order);
    await vi.advanceTimersByTimeAsync(260);
    expect([stuck.isAsked, other.isAsked]).toEqual([true, false]);
    other.rest();
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual(['waiting']);
  });

  test('are waited for no longer than told, and the error names the setting', async () => {
    const budget = budgetOf(2);
    await Promise.all([Connection.open(budget), Connection.open(budget)]);
    const refused = expect(Connection.open(budget)).rejects.toThrow(
      /db:5432 were busy for 5 s.*TENANT_CONNECTIONS_PER_SERVER/,
    );
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    expect(budget.counts.waiting).toBe(0);
  });

  test('leave half of the budget to requests, however many bulk transactions wait', async () => {
    const budget = budgetOf(4);
    const order: string[] = [];
    const bulk = Array.from({ length: 4 }, (_, index) => openNoting(budget, `bulk ${index}`, order, 'bulk'));
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(['bulk 0', 'bulk 1']);
    await openNoting(budget, 'request', order);
    await openNoting(budget, 'request', order);
    (await bulk[0])?.close();
    await vi.advanceTimersByTimeAsync(200);
    expect(order).toContain('bulk 2');
    expect(budget.counts).toMatchObject({ open: 4, waiting: 1 });
  });

  test('close when nobody used them for long', async () => {
    const budget = budgetOf(3);
    const [first, second] = [await Connection.open(budget), await Connection.open(budget)];
    first.rest();
    await vi.advanceTimersByTimeAsync(6_000);
    second.rest();
    await vi.advanceTimersByTimeAsync(4_000);
    expect([first.isAsked, second.isAsked]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(second.isAsked).toBe(true);
    expect(budget.counts).toEqual({ open: 0, idle: 0, waiting: 0 });
  });
});
