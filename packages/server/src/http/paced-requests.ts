import type { onRequestHookHandler } from 'fastify';

/**
 * Returns an `onRequest` hook that lets one request start in each iteration of the event loop, in the order of their
 * arrival. A poll finds all requests that arrived since the poll before. Without this hook, the event loop would start
 * each of them before it looks at another connection: a thousand logins take some hundred milliseconds. A single request
 * never waits. Not for requests whose commits share a flush to the disk: they have to start together.
 */
export function startOnePerTurn(): onRequestHookHandler {
  const waiting: (() => void)[] = [];
  let hasStarted = false;

  function startNext(): void {
    const start = waiting.shift();
    hasStarted = start !== undefined;
    if (start === undefined) return;
    setImmediate(startNext);
    start();
  }

  return (_request, _reply, done) => {
    if (hasStarted) {
      waiting.push(done);
      return;
    }
    hasStarted = true;
    setImmediate(startNext);
    done();
  };
}
