import { Worker } from 'node:worker_threads';

export type PasswordTask =
  | {
      readonly kind: 'hash';
      readonly password: string;
      readonly parameters: { readonly memoryCost: number; readonly timeCost: number; readonly parallelism: number };
    }
  | { readonly kind: 'verify'; readonly hash: string; readonly password: string };

export type PasswordAnswer = { readonly id: number } & (
  | { readonly result: string | boolean }
  | { readonly failure: string }
);

/**
 * One task runs and the next one waits in the thread: it goes on with that one by itself, while the event loop, which
 * hands out the work, may be waiting for the disk.
 */
export const tasksPerWorker = 2;

/** Threads that hash passwords. */
export interface PasswordWorkers {
  /** Gives a task to the thread with the least to do. The caller sees to it that there are not more than fit. */
  perform(task: PasswordTask): Promise<string | boolean>;
}

interface Member {
  readonly worker: Worker;
  readonly tasks: Map<number, PromiseWithResolvers<string | boolean>>;
}

/** Makes the threads; each starts when it is first needed, and none keeps the process alive when nothing is to be done. */
export function createPasswordWorkers(size: number): PasswordWorkers {
  const members: Member[] = [];
  let lastId = 0;

  function start(): Member {
    const worker = new Worker(new URL('./password-worker.ts', import.meta.url));
    const member: Member = { worker, tasks: new Map() };
    worker.on('message', (answer: PasswordAnswer) => settle(member, answer));
    worker.on('error', (error) => fail(member, error));
    worker.on('exit', () => fail(member, new Error('A thread that hashes passwords ended.')));
    members.push(member);
    return member;
  }

  function settle({ tasks, worker }: Member, answer: PasswordAnswer): void {
    const task = tasks.get(answer.id);
    tasks.delete(answer.id);
    if (tasks.size === 0) worker.unref();
    if ('result' in answer) task?.resolve(answer.result);
    else task?.reject(new Error(answer.failure));
  }

  /** Another one is started in its place when it is needed. */
  function fail(member: Member, cause: unknown): void {
    const at = members.indexOf(member);
    if (at !== -1) members.splice(at, 1);
    for (const task of member.tasks.values()) task.reject(new Error('A password could not be hashed.', { cause }));
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
      const answer = Promise.withResolvers<string | boolean>();
      tasks.set(lastId, answer);
      // A command that waits for its hash must not end before it.
      worker.ref();
      worker.postMessage({ id: lastId, task });
      return answer.promise;
    },
  };
}
