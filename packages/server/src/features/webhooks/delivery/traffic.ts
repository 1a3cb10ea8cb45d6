import { setTimeout as delay } from 'node:timers/promises';

/** What one endpoint is being sent by this process, and how it did lately. */
export interface EndpointTraffic {
  /** Requests in the air. */
  active: number;
  /** How many there may be: one at first, twice as many after each quick answer, one after silence. */
  window: number;
  /** How long its last answer took. */
  lastMs: number;
  /** Its last answer was a success and came quickly. */
  isWell: boolean;
  /** Its last answer came slowly or not at all, or one is overdue now. */
  isSlow: boolean;
  /** Counts up whenever any endpoint is given something: who has the lowest has waited longest for a turn. */
  turn: number;
}

/** What goes on after the run that began it has ended. */
export interface LeftBehind {
  /** Leaves the requests at once; what was sent is given back. */
  readonly cut: () => void;
  /** Resolved when everything is recorded. */
  readonly recorded: Promise<void>;
}

/** An answer that takes longer is slow. */
export const slowMs = 1000;

const firstWindow = 1;
/** Each overdue request costs a socket and its body. */
const overdueMax = 2000;
/** Remembered endpoints, some 150 bytes each. */
const endpointsMax = 20_000;
const forgottenAtOnce = 1000;

/**
 * What this process is sending, shared by the runs of all tenants. A request that is overdue gives its place in its
 * run back and goes on here, so that endpoints that hang hold up neither the rest of their tenant nor the places of
 * other tenants.
 */
export class DeliveryTraffic {
  readonly #endpoints = new Map<string, EndpointTraffic>();
  readonly #overdue = new Map<string, number>();
  readonly #leftBehind = new Set<LeftBehind>();
  readonly #overdueMax: number;
  #overdueCount = 0;
  #turn = 0;
  #isStopped = false;

  constructor(limits: { readonly overdue?: number } = {}) {
    this.#overdueMax = limits.overdue ?? overdueMax;
  }

  /** Requests in the air whose place was given back. */
  get overdueCount(): number {
    return this.#overdueCount;
  }

  /** How an endpoint does. What was not sent anything for long is forgotten, and begins anew. */
  endpoint(id: string): EndpointTraffic {
    let known = this.#endpoints.get(id);
    if (known === undefined) {
      if (this.#endpoints.size >= endpointsMax) this.#forgetSome();
      known = { active: 0, window: firstWindow, lastMs: 0, isWell: false, isSlow: false, turn: 0 };
      this.#endpoints.set(id, known);
    }
    return known;
  }

  #forgetSome(): void {
    let left = forgottenAtOnce;
    for (const [id, { active }] of this.#endpoints) {
      if (active > 0) continue;
      this.#endpoints.delete(id);
      left -= 1;
      if (left === 0) return;
    }
  }

  /** The endpoint was given something: everybody else comes before it. */
  takeTurn(endpoint: EndpointTraffic): void {
    this.#turn += 1;
    endpoint.turn = this.#turn;
  }

  /**
   * Takes over a request that is overdue; false when there is no room for it. A tenant may have as many as are free
   * for everybody: one alone gets half of all, and there is always room for the first ones of another.
   */
  takeOverdue(tenantId: string): boolean {
    const own = this.#overdue.get(tenantId) ?? 0;
    if (this.#isStopped || own >= this.#overdueMax - this.#overdueCount) return false;
    this.#overdue.set(tenantId, own + 1);
    this.#overdueCount += 1;
    return true;
  }

  /** A request that was taken over has ended. */
  endOverdue(tenantId: string): void {
    const left = (this.#overdue.get(tenantId) ?? 1) - 1;
    if (left === 0) this.#overdue.delete(tenantId);
    else this.#overdue.set(tenantId, left);
    this.#overdueCount -= 1;
  }

  /** Looks after what a run left behind, so that a stop waits for it. */
  keep(leftBehind: LeftBehind): void {
    this.#leftBehind.add(leftBehind);
    void leftBehind.recorded.then(() => this.#leftBehind.delete(leftBehind));
  }

  /** Takes nothing over any more, gives what is in the air some time, then leaves it. Resolved when all is recorded. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    const all = () => Promise.all([...this.#leftBehind].map(({ recorded }) => recorded));
    const stop = new AbortController();
    await Promise.race([all(), delay(graceMs, undefined, { signal: stop.signal }).catch(() => undefined)]);
    stop.abort();
    for (const { cut } of this.#leftBehind) cut();
    await all();
  }
}

/** Learns from an answer: `isSuccess` is a 2xx, `isSilence` none within the time. */
export function learn(
  endpoint: EndpointTraffic,
  answer: { readonly durationMs: number; readonly isSuccess: boolean; readonly isSilence: boolean },
  windowMax: number,
): void {
  const isQuick = answer.durationMs < slowMs;
  endpoint.lastMs = answer.durationMs;
  endpoint.isSlow = !isQuick;
  endpoint.isWell = isQuick && answer.isSuccess;
  if (answer.isSilence) endpoint.window = 1;
  else endpoint.window = Math.min(windowMax, isQuick ? endpoint.window * 2 : endpoint.window + 1);
}
