/** Work that waits for its turn, and how much of it there may be. */
export interface WorkQueue {
  /** Runs `work` when one of the places is free, in the order of the calls. Throws `QueueFullError` at once when too many wait. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  readonly running: number;
  readonly waiting: number;
  /** How much work was begun since the start. */
  readonly begun: number;
}

/** As much work waits as may. */
export class QueueFullError extends Error {
  constructor() {
    super('The queue is full.');
    this.name = 'QueueFullError';
  }
}

/** Makes a queue with this many places and no more than `maxWaiting` behind them. */
export function createWorkQueue(options: { readonly places: number; readonly maxWaiting: number }): WorkQueue {
  const { places, maxWaiting } = options;
  const turns: (() => void)[] = [];
  let running = 0;
  let begun = 0;

  /** Hands the place to who waits longest. */
  function leave(): void {
    const next = turns.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  async function enter(): Promise<void> {
    if (running < places) {
      running += 1;
      return;
    }
    if (turns.length >= maxWaiting) throw new QueueFullError();
    await new Promise<void>((resolve) => {
      turns.push(resolve);
    });
  }

  return {
    async run(work) {
      await enter();
      begun += 1;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return turns.length;
    },
    get begun() {
      return begun;
    },
  };
}
