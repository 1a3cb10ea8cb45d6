import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** What the caller sends and changes, in the order of its steps. */
export interface Interference {
  readonly port: number;
  /** A valid request. */
  readonly request: string;
  /** A request whose head is refused before its body arrives, and its body. */
  readonly refusedHead: string;
  readonly refusedBody: string;
  /** The database that is changed, and the change. */
  readonly file: string;
  readonly change: string;
  /** The step that was reached, shared with the service's thread. */
  readonly step: SharedArrayBuffer;
}

/** The steps, each announced by one of the two threads to the other one, which waits for it. */
export const steps = { serviceWaits: 1, bytesAreSent: 2, requestIsHandled: 3, changeIsCommitted: 4 } as const;
type Step = (typeof steps)[keyof typeof steps];

const givenUpAfterMs = 60_000;

/** Announces a step to the other thread. */
export function announce(shared: SharedArrayBuffer, step: Step): void {
  const current = new Int32Array(shared);
  Atomics.store(current, 0, step);
  Atomics.notify(current, 0);
}

/** Blocks the thread until the other one announces a step. */
export function waitFor(shared: SharedArrayBuffer, step: Step): void {
  const current = new Int32Array(shared);
  for (;;) {
    const reached = Atomics.load(current, 0);
    if (reached >= step) return;
    if (Atomics.wait(current, 0, reached, givenUpAfterMs) === 'timed-out') throw new Error(`Step ${step} never came.`);
  }
}

if (parentPort !== null) await interfere(workerData as Interference);

async function interfere(plan: Interference): Promise<void> {
  const database = new DatabaseSync(plan.file);
  const busy = await openConnection(plan.port);
  const interrupted = await openConnection(plan.port);
  // The service keeps the key and the verdict in memory, and both connections have had a complete request.
  for (let warm = 0; warm < 3; warm += 1) {
    for (const { ask } of [busy, interrupted]) await ask(plan.request);
  }
  const refusal = await interrupted.ask(plan.refusedHead);

  parentPort?.postMessage('ready');
  waitFor(plan.step, steps.serviceWaits);
  const [before, after] = [busy.ask(plan.request), interrupted.next()];
  interrupted.socket.write(plan.refusedBody);
  announce(plan.step, steps.bytesAreSent);

  waitFor(plan.step, steps.requestIsHandled);
  database.exec(plan.change);
  interrupted.socket.write(plan.request);
  announce(plan.step, steps.changeIsCommitted);

  parentPort?.postMessage({ refusal, before: await before, after: await after });
  for (const { socket } of [busy, interrupted]) socket.destroy();
  database.close();
}

interface Connection {
  readonly socket: Socket;
  /** Returns the next response, which must arrive in one piece. */
  next(): Promise<string>;
  ask(request: string): Promise<string>;
}

async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8').setNoDelay();
  await once(socket, 'connect');
  const next = async () => String((await once(socket, 'data'))[0]);
  return {
    socket,
    next,
    ask(request) {
      const answer = next();
      socket.write(request);
      return answer;
    },
  };
}
