import type { FastifyInstance } from 'fastify';

/**
 * Makes the requests of a scope that arrive together pass its guard together, after all of them were parsed. The processor's
 * caches then hold the code of one step at a time: under load a validation costs half of what it costs otherwise
 * (docs/decisions/0005-hot-path.md). Call it before the scope has a guard.
 */
export function enterTogether(app: FastifyInstance): void {
  let arrived: (() => void)[] = [];
  const enter = () => {
    const entering = arrived;
    arrived = [];
    for (const proceed of entering) proceed();
  };
  app.addHook('onRequest', (_request, _reply, done) => {
    arrived.push(done);
    if (arrived.length === 1) setImmediate(enter);
  });
}
