import type { onRequestHookHandler } from 'fastify';

/**
 * Returns an `onRequest` hook that lets one request start in each turn of the event loop, in the order of their
 * arrival. A poll finds all requests that arrived since the poll before, and the event loop looks at no other connection
 * until each of them has been handled as far as it can be: for a thousand logins, that takes some hundred milliseconds.
 * A single request never waits. Not for requests whose commits share a flush to the disk: they have to start together.
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
