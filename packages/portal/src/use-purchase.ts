import { useEffect, useState } from 'react';
import { type Problem, toProblem } from './problem.ts';
import type { Purchase } from './shapes.ts';

/**
 * After this time the page no longer lets the buyer wait: the message of the shop may lack the id of the checkout, and the
 * mail with the key is then the only way.
 */
const slowAfterMs = 60_000;
/** The page stops asking; a person who comes back loads it again. */
const givesUpAfterMs = 15 * 60_000;

/** Returns how long to wait before the next request: the shop's message usually takes a second. */
function pauseMs(waitedMs: number): number {
  if (waitedMs < 10_000) return 1_000;
  return waitedMs < 60_000 ? 3_000 : 10_000;
}

/** What is known of a purchase. */
export interface PurchaseState {
  /** Undefined before the first answer. */
  readonly purchase: Purchase | undefined;
  /** Why the last request failed; the page keeps asking. Null if it did not. */
  readonly problem: Problem | null;
  readonly isSlow: boolean;
}

const isFinal = (purchase: Purchase | undefined) => purchase?.state === 'ready';

/** Asks for a purchase until its licenses are there; give it a function of `useCallback`. */
export function usePurchase(load: () => Promise<Purchase>): PurchaseState {
  const [state, setState] = useState<PurchaseState>({ purchase: undefined, problem: null, isSlow: false });
  useEffect(() => {
    const startedMs = Date.now();
    let isOpen = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function ask(): Promise<void> {
      let purchase: Purchase | undefined;
      let problem: Problem | null = null;
      try {
        purchase = await load();
      } catch (error) {
        problem = toProblem(error);
      }
      if (!isOpen) return;
      const waitedMs = Date.now() - startedMs;
      setState((before) => ({ purchase: purchase ?? before.purchase, problem, isSlow: waitedMs >= slowAfterMs }));
      if (isFinal(purchase) || waitedMs >= givesUpAfterMs) return;
      const refusedForMs = (problem?.retryAfterSeconds ?? 0) * 1_000;
      timer = setTimeout(() => void ask(), Math.max(pauseMs(waitedMs), refusedForMs));
    }
    void ask();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, [load]);
  return state;
}
