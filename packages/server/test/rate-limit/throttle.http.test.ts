import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticateBearer } from '../../src/features/accounts/identity/session-service.ts';
import { Caller } from '../../src/http/caller.ts';
import { AppError } from '../../src/lib/error.ts';
import { throttle } from '../../src/rate-limit/throttle.ts';
import { createUser, freshAddress } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useApp();
/** A throttled anonymous route and one behind the users' guard, with the service's own tokens and limits. */
let routes: FastifyInstance;

beforeAll(() => {
  const { services } = suite.app;
  routes = fastify();
  routes.addHook('onRequest', (request, _reply, next) => {
    request.caller = new Caller();
    next();
  });
  routes.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof AppError)) throw error;
    return reply
      .status(error.status)
      .headers({ ...error.headers })
      .send(error.code);
  });
  routes.post(
    '/open',
    { onRequest: throttle(services.rateLimits, { name: 'open', attempts: 2, minutes: 1 }) },
    () => 'ok',
  );
  routes.register((guarded, _options, done) => {
    guarded.addHook('onRequest', async (request) => {
      await authenticateBearer(services, request, 'tenant');
    });
    const onRequest = throttle(services.rateLimits, { name: 'guarded', attempts: 2, minutes: 1 });
    guarded.post('/guarded', { onRequest }, () => 'ok');
    done();
  });
});

afterAll(() => routes.close());

async function post(url: '/open' | '/guarded', remoteAddress: string, headers: Record<string, string> = {}) {
  const response = await routes.inject({ method: 'POST', url, remoteAddress, headers });
  return { status: response.statusCode, code: response.body, headers: response.headers };
}

const statusesOf = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).sort();

test('an anonymous route counts attempts by client address, whatever token a request has', async () => {
  const { auth } = await createUser(suite.app);
  const address = freshAddress();
  const responses = await Promise.all([post('/open', address, auth), post('/open', address), post('/open', address)]);
  expect(statusesOf(responses)).toEqual([200, 200, 429]);
  expect((await post('/open', freshAddress(), auth)).status).toBe(200);
});

test('a route behind a guard counts attempts by user, from every address', async () => {
  const [ann, bob] = [await createUser(suite.app), await createUser(suite.app)];
  const address = freshAddress();
  const attempt = () => post('/guarded', freshAddress(), ann.auth);
  const responses = await Promise.all([attempt(), attempt(), attempt(), attempt()]);
  expect(statusesOf(responses)).toEqual([200, 200, 429, 429]);
  const refused = await post('/guarded', address, ann.auth);
  expect(refused).toMatchObject({ code: 'RATE_LIMIT.EXCEEDED', headers: { 'retry-after': '60' } });
  expect((await post('/guarded', address, bob.auth)).status).toBe(200);
  expect((await post('/open', address, ann.auth)).status).toBe(200);
  clock.advance(60_000);
  expect((await attempt()).status).toBe(200);
});

test('a request that the guard rejects does not count as an attempt', async () => {
  const user = await createUser(suite.app);
  const address = freshAddress();
  for (let time = 0; time < 5; time += 1) expect((await post('/guarded', address)).status).toBe(401);
  expect((await post('/guarded', address, user.auth)).headers['x-ratelimit-remaining']).toBe('1');
});
