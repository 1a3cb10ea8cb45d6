import type { Clock } from '../../lib/clock.ts';
import { BoundedWindows } from '../bounded-windows.ts';
import { type OpenWindow, type RateLimitWindow, type WindowLimit, windowAfter } from '../rate-limits.ts';

/** A window as one node knows it. */
interface OwnWindow {
  /** As many as Valkey told last: those of all nodes. */
  sharedHits: number;
  /** Those that this node counted by itself, because Valkey was away, and has not told yet. */
  missedHits: number;
  resetAtMs: number;
}

/** What Valkey has not heard of yet. */
export interface MissedHits {
  readonly hits: number;
  /** In how many ms the window ends in which they were counted. */
  readonly leftMs: number;
}

const nothingMissed: MissedHits = { hits: 0, leftMs: 0 };

/**
 * What one node remembers of the windows that all nodes share, so that it can go on by itself: of what is left of a
 * ceiling each node then gives its share, and one hit at least. A window that was used up stays so.
 */
export class OwnWindows {
  readonly #windows: BoundedWindows<OwnWindow>;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(clock: Pick<Clock, 'nowMs'>, maxWindowsPerName?: number) {
    this.#clock = clock;
    this.#windows = new BoundedWindows(maxWindowsPerName);
  }

  /** Counts a hit without Valkey, as one of so many nodes. */
  consume(name: string, key: string, { limit, windowSeconds }: WindowLimit, nodes: number): RateLimitWindow {
    const nowMs = this.#clock.nowMs();
    const window =
      this.#windows.find(name, key, nowMs) ?? this.#open(name, key, 0, nowMs + windowSeconds * 1000, nowMs);
    window.missedHits += 1;
    const left = limit - window.sharedHits;
    const share = left <= 0 ? 0 : Math.max(Math.floor(left / nodes), 1);
    return { ...windowAfter(window.missedHits, share, window.resetAtMs, nowMs), limit };
  }

  /** Takes in what Valkey told of a window. */
  note(name: string, key: string, sharedHits: number, resetAtMs: number): void {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.find(name, key, nowMs);
    if (window === undefined) return void this.#open(name, key, sharedHits, resetAtMs, nowMs);
    window.sharedHits = sharedHits;
    window.resetAtMs = resetAtMs;
  }

  /** Hands over what Valkey has not heard of: it is told with the next hit. */
  takeMissed(name: string, key: string): MissedHits {
    const nowMs = this.#clock.nowMs();
    const window = this.#windows.find(name, key, nowMs);
    if (window === undefined || window.missedHits === 0) return nothingMissed;
    const missed = { hits: window.missedHits, leftMs: window.resetAtMs - nowMs };
    window.missedHits = 0;
    return missed;
  }

  /** Takes back what could not be told. */
  giveBackMissed(name: string, key: string, { hits }: MissedHits): void {
    const window = this.#windows.find(name, key, this.#clock.nowMs());
    if (window !== undefined) window.missedHits += hits;
  }

  find(name: string, key: string): OpenWindow | null {
    const window = this.#windows.find(name, key, this.#clock.nowMs());
    return window === undefined ? null : { hits: window.sharedHits + window.missedHits, resetAtMs: window.resetAtMs };
  }

  refund(name: string, key: string): void {
    const window = this.#windows.find(name, key, this.#clock.nowMs());
    if (window === undefined) return;
    if (window.missedHits > 0) window.missedHits -= 1;
    else window.sharedHits = Math.max(window.sharedHits - 1, 0);
  }

  /** `isShared`: Valkey knows. */
  block(name: string, key: string, { limit, windowSeconds }: WindowLimit, isShared: boolean): void {
    const nowMs = this.#clock.nowMs();
    const window = this.#open(name, key, limit, nowMs + windowSeconds * 1000, nowMs);
    if (!isShared) window.missedHits = limit;
  }

  reset(name: string, key: string): void {
    this.#windows.delete(name, key);
  }

  #open(name: string, key: string, sharedHits: number, resetAtMs: number, nowMs: number): OwnWindow {
    return this.#windows.open(name, key, { sharedHits, missedHits: 0, resetAtMs }, nowMs);
  }
}
