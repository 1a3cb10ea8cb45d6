interface Waiting<Ticket, Admission> {
  readonly ticket: Ticket;
  readonly admit: (admission: Admission) => void;
}

/** Callers that wait for the same thing, first come first served, each for a bounded time. */
export class WaitQueue<Ticket, Admission> {
  readonly #waiting = new Set<Waiting<Ticket, Admission>>();

  /** Resolves with what `admitNext` hands over; rejects with the error of `tooLate` after `waitMs`. */
  join(ticket: Ticket, waitMs: number, tooLate: () => Error): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(tooLate());
      }, waitMs);
      const waiting: Waiting<Ticket, Admission> = {
        ticket,
        admit(admission) {
          clearTimeout(timer);
          resolve(admission);
        },
      };
      this.#waiting.add(waiting);
    });
  }

  /** Hands what `admission` makes to the first caller whose ticket `mayEnter`; false when there is none. */
  admitNext(mayEnter: (ticket: Ticket) => boolean, admission: (ticket: Ticket) => Admission): boolean {
    for (const waiting of this.#waiting) {
      if (!mayEnter(waiting.ticket)) continue;
      this.#waiting.delete(waiting);
      waiting.admit(admission(waiting.ticket));
      return true;
    }
    return false;
  }

  get length(): number {
    return this.#waiting.size;
  }

  count(matches: (ticket: Ticket) => boolean): number {
    let count = 0;
    for (const { ticket } of this.#waiting) if (matches(ticket)) count += 1;
    return count;
  }
}
