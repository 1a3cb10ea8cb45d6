interface Waiter<Request, Grant> {
  readonly request: Request;
  readonly resolve: (grant: Grant) => void;
}

/** A first-in-first-out queue of callers that wait for the same resource, each for a limited time. */
export class WaitQueue<Request, Grant> {
  readonly #waiters = new Set<Waiter<Request, Grant>>();

  /** Resolves with the grant of `admitNext`. Rejects with the error of `timeoutError` after `waitMs`. */
  join(request: Request, waitMs: number, timeoutError: () => Error): Promise<Grant> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(timeoutError());
      }, waitMs);
      const waiter: Waiter<Request, Grant> = {
        request,
        resolve(grant) {
          clearTimeout(timer);
          resolve(grant);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /**
   * Resolves the first caller whose request `isGrantable` with the result of `grant`. Returns false if there is none.
   */
  admitNext(isGrantable: (request: Request) => boolean, grant: (request: Request) => Grant): boolean {
    for (const waiter of this.#waiters) {
      if (!isGrantable(waiter.request)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(grant(waiter.request));
      return true;
    }
    return false;
  }

  /** The number of waiting callers. */
  get length(): number {
    return this.#waiters.size;
  }

  /** Counts the waiting callers whose request `matches`. */
  count(matches: (request: Request) => boolean): number {
    let count = 0;
    for (const { request } of this.#waiters) if (matches(request)) count += 1;
    return count;
  }
}
