import { DatabaseUnavailableError } from '../errors.ts';
import { WaitQueue } from './wait-queue.ts';

/** `bulk` transactions may keep a connection for minutes, so together they get at most half of the budget. */
export type ConnectionUse = 'requests' | 'bulk';

/** The right to have one connection to a server, until `free` is called. */
export interface ConnectionSlot {
  /** Reports that a statement or a transaction runs on the connection. */
  work(): void;
  /** Reports that the connection is idle: it may be reclaimed for another caller, or closed after `idleMs`. */
  rest(): void;
  /** Reports that the connection is closed. */
  free(): void;
}

/** How many connections to a server exist, for metrics. */
interface ConnectionCounts {
  /** Connections that are open, being opened or being closed. */
  readonly open: number;
  /** Open connections that are idle. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** Limits the connections of this process to one server. */
export interface ConnectionBudget {
  /**
   * Resolves with a slot, in the order of the calls. `vacate` is called once, when another caller needs the slot or the
   * connection was idle for `idleMs`: the connection must then accept no new work and close as soon as it is idle.
   * Rejects with a `DatabaseUnavailableError` if all slots are busy for `waitMs` (5 minutes for `bulk`).
   */
  take(use: ConnectionUse, vacate: () => void): Promise<ConnectionSlot>;
  readonly counts: ConnectionCounts;
  /** True if a further connection would take the place of another one. */
  readonly isUsedUp: boolean;
}

interface BudgetOptions {
  /** The server's name in error messages. */
  readonly server: string;
  /** Maximum number of simultaneous connections; at least 2. */
  readonly limit: number;
  /** How long a request waits for a slot. Default: 10 s. */
  readonly waitMs?: number;
  /** How long an idle connection is kept. Default: 10 s. */
  readonly idleMs?: number;
}

const defaultWaitMs = 10_000;
const defaultIdleMs = 10_000;
/** As long as a bulk transaction waits for another one of its database (`lockForBulk`). */
const bulkWaitMs = 300_000;
/**
 * While callers wait, a busy connection is vacated after 50 to 250 ms. Its database then sends later statements on
 * another connection, for which it waits in the queue.
 */
const longestHoldMs = 250;
const shortestHoldMs = 50;
/** How often held connections are checked while callers wait. */
const holdCheckMs = 25;

class Slot implements ConnectionSlot {
  readonly use: ConnectionUse;
  readonly #budget: Budget;
  readonly #vacate: () => void;
  heldSinceMs = 0;
  idleSinceMs = 0;
  isVacating = false;
  /** True if the connection was idle when it was vacated, so it is closing already. */
  isClosing = false;

  constructor(budget: Budget, { use, vacate }: SlotRequest) {
    this.#budget = budget;
    this.use = use;
    this.#vacate = vacate;
  }

  work(): void {
    this.#budget.onWork(this);
  }

  rest(): void {
    this.#budget.onRest(this);
  }

  free(): void {
    this.#budget.onFree(this);
  }

  vacate(): void {
    this.isVacating = true;
    this.#vacate();
  }
}

interface SlotRequest {
  readonly use: ConnectionUse;
  readonly vacate: () => void;
}

/**
 * Deadlock-free: a waiter holds no slot except idle ones, which can be reclaimed, and work on a busy connection waits
 * only for the server. So every busy slot is released when the server responds, and every idle one immediately.
 */
class Budget implements ConnectionBudget {
  readonly #server: string;
  readonly #limit: number;
  readonly #bulkLimit: number;
  readonly #waitMs: number;
  readonly #idleMs: number;
  readonly #slots = new Set<Slot>();
  /** Slots whose connection was used, the longest held first. */
  readonly #held = new Set<Slot>();
  /** Slots of idle connections, the longest idle first. */
  readonly #idle = new Set<Slot>();
  readonly #queue = new WaitQueue<SlotRequest, Slot>();
  #idleTimer: NodeJS.Timeout | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  #isServing = false;

  constructor({ server, limit, waitMs = defaultWaitMs, idleMs = defaultIdleMs }: BudgetOptions) {
    this.#server = server;
    this.#limit = limit;
    this.#bulkLimit = Math.floor(limit / 2);
    this.#waitMs = waitMs;
    this.#idleMs = idleMs;
  }

  get counts(): ConnectionCounts {
    return { open: this.#slots.size, idle: this.#idle.size, waiting: this.#queue.length };
  }

  get isUsedUp(): boolean {
    return this.#slots.size >= this.#limit;
  }

  take(use: ConnectionUse, vacate: () => void): Promise<ConnectionSlot> {
    const waitMs = use === 'bulk' ? bulkWaitMs : this.#waitMs;
    const taken = this.#queue.join({ use, vacate }, waitMs, () => this.#allBusy(waitMs));
    this.#serve();
    return taken;
  }

  onWork(slot: Slot): void {
    this.#idle.delete(slot);
    if (this.#held.has(slot)) return;
    slot.heldSinceMs = performance.now();
    this.#held.add(slot);
  }

  onRest(slot: Slot): void {
    if (slot.isVacating) return;
    slot.idleSinceMs = performance.now();
    this.#idle.add(slot);
    if (this.#queue.length > 0) this.#serveSoon();
    this.#idleTimer ??= setTimeout(() => this.#closeUnused(), this.#idleMs).unref();
  }

  onFree(slot: Slot): void {
    this.#held.delete(slot);
    this.#idle.delete(slot);
    if (this.#slots.delete(slot)) this.#serve();
  }

  #allBusy(waitMs: number): DatabaseUnavailableError {
    return new DatabaseUnavailableError(
      `All ${this.#limit} connections to ${this.#server} were busy for ${waitMs / 1000} s: ` +
        'if this persists, raise TENANT_CONNECTIONS_PER_SERVER as far as the server allows.',
    );
  }

  readonly #isGrantable = ({ use }: SlotRequest): boolean =>
    this.#slots.size < this.#limit && (use === 'requests' || this.#bulkCapacity() > 0);

  readonly #grant = (request: SlotRequest): Slot => {
    const slot = new Slot(this, request);
    this.#slots.add(slot);
    return slot;
  };

  #bulkCapacity(): number {
    let available = this.#bulkLimit;
    for (const { use } of this.#slots) if (use === 'bulk') available -= 1;
    return available;
  }

  /** Counts the waiting callers for whom other connections must be vacated, because no closing one will serve them. */
  #countUnserved(): number {
    const bulk = this.#queue.count(({ use }) => use === 'bulk');
    const grantable = this.#queue.length - bulk + Math.min(bulk, this.#bulkCapacity());
    let closing = 0;
    for (const { isClosing } of this.#slots) if (isClosing) closing += 1;
    return Math.max(0, grantable - closing);
  }

  /**
   * Serves in the next iteration of the event loop, so that a caller that sends its next statement keeps its
   * connection.
   */
  #serveSoon(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(() => {
      this.#isServing = false;
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#queue.admitNext(this.#isGrantable, this.#grant));
    if (this.#queue.length === 0) return;
    if (this.#idle.size > 0) this.#vacateSome([...this.#idle]);
    this.#holdTimer ??= setTimeout(() => this.#vacateLongHeld(), holdCheckMs).unref();
  }

  /**
   * Vacates the connections that are held for longer than `#holdMs`. Each call vacates more of them, because a
   * connection that waits for a lock is not released soon.
   */
  #vacateLongHeld(): void {
    this.#holdTimer = undefined;
    const heldSinceBefore = performance.now() - this.#holdMs();
    const mayVacate = (slot: Slot) =>
      slot.heldSinceMs <= heldSinceBefore && !slot.isVacating && slot.use === 'requests';
    this.#vacateSome([...this.#held].filter(mayVacate));
    this.#serve();
  }

  /** Vacates the first of `candidates`, one for each caller that no closing connection will serve. */
  #vacateSome(candidates: readonly Slot[]): void {
    for (const slot of candidates.slice(0, this.#countUnserved())) this.#vacate(slot);
  }

  /**
   * Short enough that every waiting caller is served within half of `waitMs`, because opening connections takes time
   * too.
   */
  #holdMs(): number {
    const holdMs = (this.#waitMs / 2) * (this.#limit / Math.max(1, this.#queue.length));
    return Math.min(longestHoldMs, Math.max(shortestHoldMs, holdMs));
  }

  #closeUnused(): void {
    this.#idleTimer = undefined;
    const now = performance.now();
    for (const slot of this.#idle) {
      const idleForMs = now - slot.idleSinceMs;
      if (idleForMs < this.#idleMs) {
        this.#idleTimer = setTimeout(() => this.#closeUnused(), this.#idleMs - idleForMs).unref();
        return;
      }
      this.#vacate(slot);
    }
  }

  #vacate(slot: Slot): void {
    slot.isClosing = this.#idle.delete(slot);
    slot.vacate();
  }
}

/** Creates the budget of one server. */
export function createConnectionBudget(options: BudgetOptions): ConnectionBudget {
  return new Budget(options);
}

/** The connections of this process to the PostgreSQL servers that hold tenants. */
export interface ServerConnections {
  /** Returns the connection budget of a server (`host:port`), which all tenants on that server share. */
  budgetOf(server: string): ConnectionBudget;
  /** Returns the current connection counts of each server that was used. */
  counts(): readonly ({ readonly server: string } & ConnectionCounts)[];
}

/** Creates the budgets of all servers; each budget allows up to `perServer` connections. */
export function createServerConnections(perServer: number): ServerConnections {
  const budgets = new Map<string, ConnectionBudget>();
  return {
    budgetOf(server) {
      const known = budgets.get(server);
      if (known !== undefined) return known;
      const budget = createConnectionBudget({ server, limit: perServer });
      budgets.set(server, budget);
      return budget;
    },
    counts: () => [...budgets].map(([server, { counts }]) => ({ server, ...counts })),
  };
}
