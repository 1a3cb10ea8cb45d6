import { DatabaseUnavailableError } from '../errors.ts';
import { WaitQueue } from './wait-queue.ts';

/** `bulk`: may keep its connection for minutes, so that all of them together get half of the budget at most. */
export type ConnectionUse = 'requests' | 'bulk';

/** The right to have one connection to a server. It begins when it is given, and ends with `free`. */
export interface ConnectionSlot {
  /** Something is under way on the connection. */
  work(): void;
  /** Nothing is: the connection may be asked for, or be closed because nobody needs it. */
  rest(): void;
  /** The connection is closed. */
  free(): void;
}

export interface ConnectionCounts {
  /** Connections that are open, or being opened or closed. */
  readonly open: number;
  /** Those on which nothing is under way. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** The connections that this process may have to one server. */
export interface ConnectionBudget {
  /**
   * Gives a slot, in the order in which they are asked for. `vacate` is called once when somebody else needs it or nobody
   * used it for long: the connection then takes no new work, and is closed as soon as nothing is under way on it.
   * Rejects with a `DatabaseUnavailableError` when all are busy for too long.
   */
  take(use: ConnectionUse, vacate: () => void): Promise<ConnectionSlot>;
  readonly counts: ConnectionCounts;
}

interface BudgetOptions {
  /** The server in messages. */
  readonly server: string;
  /** How many connections there may be at the same time; at least 2. */
  readonly limit: number;
  readonly waitMs?: number;
  /** For how long a connection is kept on which nothing is under way. */
  readonly idleMs?: number;
}

const defaultWaitMs = 10_000;
const defaultIdleMs = 10_000;
/** As long as a bulk transaction waits for another one of its database. */
const bulkWaitMs = 300_000;
/** While others wait nobody keeps a busy connection for much longer: what comes later is sent on another one, in its turn. */
const longestTurnMs = 250;
const shortestTurnMs = 50;
/** How often it is asked whose turn is over, while somebody waits. */
const turnCheckMs = 25;

class Slot implements ConnectionSlot {
  readonly use: ConnectionUse;
  readonly #budget: Budget;
  readonly #vacate: () => void;
  heldSinceMs = 0;
  restsSinceMs = 0;
  isVacating = false;
  /** Nothing was under way when the connection was asked for: it comes back at once. */
  isClosing = false;

  constructor(budget: Budget, { use, vacate }: Ticket) {
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

interface Ticket {
  readonly use: ConnectionUse;
  readonly vacate: () => void;
}

/**
 * Why nobody waits in a circle: who waits for a slot has none, unless it rests; who works on one waits for nothing but the
 * server. So every slot comes back when the server answers, and one that rests at once.
 */
class Budget implements ConnectionBudget {
  readonly #server: string;
  readonly #limit: number;
  readonly #bulkLimit: number;
  readonly #waitMs: number;
  readonly #idleMs: number;
  readonly #slots = new Set<Slot>();
  /** Those that have worked, the longest held first. */
  readonly #held = new Set<Slot>();
  /** The one that rests for the longest time first. */
  readonly #resting = new Set<Slot>();
  readonly #line = new WaitQueue<Ticket, Slot>();
  #idleTimer: NodeJS.Timeout | undefined;
  #turnTimer: NodeJS.Timeout | undefined;
  #isServing = false;

  constructor({ server, limit, waitMs = defaultWaitMs, idleMs = defaultIdleMs }: BudgetOptions) {
    this.#server = server;
    this.#limit = limit;
    this.#bulkLimit = Math.floor(limit / 2);
    this.#waitMs = waitMs;
    this.#idleMs = idleMs;
  }

  get counts(): ConnectionCounts {
    return { open: this.#slots.size, idle: this.#resting.size, waiting: this.#line.length };
  }

  take(use: ConnectionUse, vacate: () => void): Promise<ConnectionSlot> {
    const waitMs = use === 'bulk' ? bulkWaitMs : this.#waitMs;
    const taken = this.#line.join({ use, vacate }, waitMs, () => this.#allBusy(waitMs));
    this.#serve();
    return taken;
  }

  onWork(slot: Slot): void {
    this.#resting.delete(slot);
    if (this.#held.has(slot)) return;
    slot.heldSinceMs = performance.now();
    this.#held.add(slot);
  }

  onRest(slot: Slot): void {
    if (slot.isVacating) return;
    slot.restsSinceMs = performance.now();
    this.#resting.add(slot);
    if (this.#line.length > 0) this.#serveSoon();
    this.#idleTimer ??= setTimeout(() => this.#closeUnused(), this.#idleMs).unref();
  }

  onFree(slot: Slot): void {
    this.#held.delete(slot);
    this.#resting.delete(slot);
    if (this.#slots.delete(slot)) this.#serve();
  }

  #allBusy(waitMs: number): DatabaseUnavailableError {
    return new DatabaseUnavailableError(
      `All ${this.#limit} connections to ${this.#server} were busy for ${waitMs / 1000} s: ` +
        'if that stays, raise TENANT_CONNECTIONS_PER_SERVER as far as the server allows.',
    );
  }

  readonly #mayHaveOne = ({ use }: Ticket): boolean =>
    this.#slots.size < this.#limit && (use === 'requests' || this.#bulkCapacity() > 0);

  readonly #give = (ticket: Ticket): Slot => {
    const slot = new Slot(this, ticket);
    this.#slots.add(slot);
    return slot;
  };

  #bulkCapacity(): number {
    let room = this.#bulkLimit;
    for (const { use } of this.#slots) if (use === 'bulk') room -= 1;
    return room;
  }

  /** How many of those who wait could have a connection if others gave theirs back. */
  #missing(): number {
    const bulk = this.#line.count(({ use }) => use === 'bulk');
    return this.#line.length - bulk + Math.min(bulk, Math.max(0, this.#bulkCapacity()));
  }

  /** A caller that goes on at once, with its next statement, keeps its connection. */
  #serveSoon(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(() => {
      this.#isServing = false;
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#line.admitNext(this.#mayHaveOne, this.#give));
    if (this.#line.length === 0) return;
    let missing = this.#missing() - this.#countClosing();
    for (const slot of this.#resting) {
      if (missing <= 0) break;
      missing -= 1;
      this.#vacate(slot);
    }
    this.#turnTimer ??= setTimeout(() => this.#endTurns(), turnCheckMs).unref();
  }

  #countClosing(): number {
    let count = 0;
    for (const slot of this.#slots) if (slot.isClosing) count += 1;
    return count;
  }

  /** Has those give way that had their turn; more of them each time, because one that waits for a lock frees nothing soon. */
  #endTurns(): void {
    this.#turnTimer = undefined;
    let missing = this.#missing();
    const turnsBeganBefore = performance.now() - this.#turnMs();
    for (const slot of this.#held) {
      if (missing <= 0 || slot.heldSinceMs > turnsBeganBefore) break;
      if (slot.isVacating || slot.use === 'bulk') continue;
      missing -= 1;
      this.#vacate(slot);
    }
    this.#serve();
  }

  /** So short that all who wait have had theirs in half of the time that they may wait: opening takes time as well. */
  #turnMs(): number {
    const turnMs = (this.#waitMs / 2) * (this.#limit / Math.max(1, this.#line.length));
    return Math.min(longestTurnMs, Math.max(shortestTurnMs, turnMs));
  }

  #closeUnused(): void {
    this.#idleTimer = undefined;
    const now = performance.now();
    for (const slot of this.#resting) {
      const restsForMs = now - slot.restsSinceMs;
      if (restsForMs < this.#idleMs) {
        this.#idleTimer = setTimeout(() => this.#closeUnused(), this.#idleMs - restsForMs).unref();
        return;
      }
      this.#vacate(slot);
    }
  }

  #vacate(slot: Slot): void {
    slot.isClosing = this.#resting.delete(slot);
    slot.vacate();
  }
}

/** Makes the budget of one server. */
export function createConnectionBudget(options: BudgetOptions): ConnectionBudget {
  return new Budget(options);
}
