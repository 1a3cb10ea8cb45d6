import type { Clock } from '../../lib/clock.ts';
import { BoundedWindows } from '../bounded-windows.ts';
import { type OpenWindow, type RateLimitWindow, type WindowLimit, windowAfter } from '../rate-limits.ts';

/** A node's local copy of a window. */
interface OwnWindow {
  /** The hits of all nodes, as Valkey last reported them. */
  sharedHits: number;
  /** The hits that this node counted during an outage and has not yet reported to Valkey. */
  missedHits: number;
  resetAtMs: number;
}

/** Hits that were not yet reported to Valkey. */
export interface MissedHits {
  readonly hits: number;
  /** The milliseconds until the end of the window in which they were counted. */
  readonly leftMs: number;
}

const nothingMissed: MissedHits = { hits: 0, leftMs: 0 };

/**
 * A node's copy of the shared windows, with which it continues during an outage of Valkey. Each node then allows its
 * share of the remaining hits of each limit, and at least one hit. An exhausted window stays exhausted.
 */
export class OwnWindows {
  readonly #windows: BoundedWindows<OwnWindow>;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(clock: Pick<Clock, 'nowMs'>, maxWindowsPerName?: number) {
    this.#clock = clock;
    this.#windows = new BoundedWindows(maxWindowsPerName);
  }

  /** Counts a hit without Valkey, as one of `nodes` nodes. */
  consume(name: string, key: string, { limit, windowSeconds }: WindowLimit, nodes: number): RateLimitWindow {
    const nowMs = this.#clock.nowMs();
    const window =
      this.#windows.find(name, key, nowMs) ?? this.#open(name, key, 0, nowMs + windowSeconds * 1000, nowMs);
    window.missedHits += 1;
    const left = limit - window.sharedHits;
    const share = left <= 0 ? 0 : Math.max(Math.floor(left / nodes), 1);
    return { ...windowAfter(window.missedHits, share, window.resetAtMs, nowMs), limit };
  }

  /** Records the state of a window that Valkey reported. */
  note(name: string, key: string, sharedHits: number, resetAtMs: number): void {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.find(name, key, nowMs);
    if (window === undefined) return void this.#open(name, key, sharedHits, resetAtMs, nowMs);
    window.sharedHits = sharedHits;
    window.resetAtMs = resetAtMs;
  }

  /** Returns and clears the unreported hits, which the caller sends to Valkey with the next hit. */
  takeMissed(name: string, key: string): MissedHits {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.find(name, key, nowMs);
    if (window === undefined || window.missedHits === 0) return nothingMissed;
    const missed = { hits: window.missedHits, leftMs: window.resetAtMs - nowMs };
    window.missedHits = 0;
    return missed;
  }

  /** Restores unreported hits whose report failed. */
  restoreMissed(name: string, key: string, { hits }: MissedHits): void {
    const window = this.#windows.find(name, key, this.#clock.nowMs());
    if (window !== undefined) window.missedHits += hits;
  }

  /** Returns the open window, or null. */
  find(name: string, key: string): OpenWindow | null {
    const window = this.#windows.find(name, key, this.#clock.nowMs());
    return window === undefined ? null : { hits: window.sharedHits + window.missedHits, resetAtMs: window.resetAtMs };
  }

  /** Takes back one hit. */
  refund(name: string, key: string): void {
    const window = this.#windows.find(name, key, this.#clock.nowMs());
    if (window === undefined) return;
    if (window.missedHits > 0) window.missedHits -= 1;
    else window.sharedHits = Math.max(window.sharedHits - 1, 0);
  }

  /** Restarts a window with all hits used. `isShared`: Valkey already has this state. */
  block(name: string, key: string, { limit, windowSeconds }: WindowLimit, isShared: boolean): void {
    const nowMs = this.#clock.nowMs();
    const window = this.#open(name, key, limit, nowMs + windowSeconds * 1000, nowMs);
    if (!isShared) window.missedHits = limit;
  }

  /** Removes a window. */
  reset(name: string, key: string): void {
    this.#windows.delete(name, key);
  }

  #open(name: string, key: string, sharedHits: number, resetAtMs: number, nowMs: number): OwnWindow {
    return this.#windows.open(name, key, { sharedHits, missedHits: 0, resetAtMs }, nowMs);
  }
}
