/** A bounded queue that limits how much work runs concurrently. */
export interface WorkQueue {
  /** Runs `work` when a place is free, in the order of the calls. Throws a `QueueFullError` at once when it is full. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The number of running tasks. */
  readonly running: number;
  /** The number of waiting tasks. */
  readonly waiting: number;
  /** True if a further task would be rejected. */
  readonly isFull: boolean;
  /** The number of tasks started since the queue was created. */
  readonly begun: number;
}

/** Thrown when the maximum number of tasks already wait. */
export class QueueFullError extends Error {
  constructor() {
    super('The queue is full: try again later.');
    this.name = 'QueueFullError';
  }
}

/** Creates a queue that runs up to `places` tasks concurrently and lets up to `maxWaiting` more wait. */
export function createWorkQueue(options: { readonly places: number; readonly maxWaiting: number }): WorkQueue {
  const { places, maxWaiting } = options;
  const starts: (() => void)[] = [];
  let running = 0;
  let begun = 0;

  /** Passes the place on to the task that has waited longest. */
  function leave(): void {
    const next = starts.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  async function enter(): Promise<void> {
    if (running < places) {
      running += 1;
      return;
    }
    if (starts.length >= maxWaiting) throw new QueueFullError();
    await new Promise<void>((resolve) => {
      starts.push(resolve);
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
      return starts.length;
    },
    get isFull() {
      return running >= places && starts.length >= maxWaiting;
    },
    get begun() {
      return begun;
    },
  };
}

/**
 * Runs `work` on every item, at most `parallelism` at the same time. After a failure no further item starts; the items
 * in progress finish, then the first error is thrown.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  parallelism: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items].reverse();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined && failures.length === 0; item = waiting.pop()) {
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: parallelism }, worker));
  if (failures.length > 0) throw failures[0];
}
