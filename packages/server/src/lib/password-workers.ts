import { Worker } from 'node:worker_threads';

/** A task for a worker thread. */
export type PasswordTask =
  | {
      readonly kind: 'hash';
      readonly password: string;
      readonly parameters: { readonly memoryCost: number; readonly timeCost: number; readonly parallelism: number };
    }
  | { readonly kind: 'verify'; readonly hash: string; readonly password: string };

/** The reply of a worker thread to the task with this id. */
export type PasswordReply = { readonly id: number } & (
  | { readonly result: string | boolean }
  | { readonly failure: string }
);

/**
 * The number of tasks per thread: one runs and one waits. The thread continues with the second one while the event
 * loop, which hands out tasks, may be blocked on the disk.
 */
export const tasksPerWorker = 2;

/** A pool of threads that hash passwords. */
export interface PasswordWorkers {
  /** Runs a task on the least busy thread. The caller must bound the number of concurrent tasks. */
  perform(task: PasswordTask): Promise<string | boolean>;
}

interface Member {
  readonly worker: Worker;
  readonly tasks: Map<number, PromiseWithResolvers<string | boolean>>;
}

/** Creates the pool. A thread starts when it is first needed, and an idle thread does not keep the process alive. */
export function createPasswordWorkers(size: number): PasswordWorkers {
  const members: Member[] = [];
  let lastId = 0;

  function start(): Member {
    const worker = new Worker(new URL('./password-worker.ts', import.meta.url));
    const member: Member = { worker, tasks: new Map() };
    worker.on('message', (reply: PasswordReply) => settle(member, reply));
    worker.on('error', (error) => fail(member, error));
    worker.on('exit', () => fail(member, new Error('A password hashing thread exited.')));
    members.push(member);
    return member;
  }

  function settle({ tasks, worker }: Member, reply: PasswordReply): void {
    const task = tasks.get(reply.id);
    tasks.delete(reply.id);
    if (tasks.size === 0) worker.unref();
    if ('result' in reply) task?.resolve(reply.result);
    else task?.reject(new Error(reply.failure));
  }

  /** Removes a failed thread and rejects its tasks. `perform` starts a new thread when needed. */
  function fail(member: Member, cause: unknown): void {
    const at = members.indexOf(member);
    if (at !== -1) members.splice(at, 1);
    for (const task of member.tasks.values())
      task.reject(new Error('A password could not be hashed or verified: its thread failed.', { cause }));
    member.tasks.clear();
  }

  function leastBusy(): Member {
    const [first, ...others] = members;
    if (first === undefined) return start();
    const least = others.reduce((best, one) => (one.tasks.size < best.tasks.size ? one : best), first);
    return least.tasks.size > 0 && members.length < size ? start() : least;
  }

  return {
    perform(task) {
      const { worker, tasks } = leastBusy();
      lastId += 1;
      const outcome = Promise.withResolvers<string | boolean>();
      tasks.set(lastId, outcome);
      // A command that waits for its hash must not exit before the thread replies.
      worker.ref();
      worker.postMessage({ id: lastId, task });
      return outcome.promise;
    },
  };
}
