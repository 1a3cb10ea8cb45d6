import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticateBearer } from '../../src/features/accounts/identity/tokens.ts';
import { AppError } from '../../src/lib/error.ts';
import { throttle } from '../../src/rate-limit/throttle.ts';
import { createUser, freshAddress } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useApp();
/** A throttled route for anybody and one behind the users' guard, on the service's own tokens and limits. */
let routes: FastifyInstance;

beforeAll(() => {
  const { services } = suite.app;
  routes = fastify();
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
  const answer = await routes.inject({ method: 'POST', url, remoteAddress, headers });
  return { status: answer.statusCode, code: answer.body, headers: answer.headers };
}

const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

test('a route for anybody counts the attempts of a client address, whatever token they bring', async () => {
  const { auth } = await createUser(suite.app);
  const address = freshAddress();
  const answers = await Promise.all([post('/open', address, auth), post('/open', address), post('/open', address)]);
  expect(statusesOf(answers)).toEqual([200, 200, 429]);
  expect((await post('/open', freshAddress(), auth)).status).toBe(200);
});

test('a route behind a guard counts the attempts of a user from every address, and nobody else with them', async () => {
  const [ann, bob] = [await createUser(suite.app), await createUser(suite.app)];
  const address = freshAddress();
  const attempt = () => post('/guarded', freshAddress(), ann.auth);
  const answers = await Promise.all([attempt(), attempt(), attempt(), attempt()]);
  expect(statusesOf(answers)).toEqual([200, 200, 429, 429]);
  const refused = await post('/guarded', address, ann.auth);
  expect(refused).toMatchObject({ code: 'RATE_LIMIT.EXCEEDED', headers: { 'retry-after': '60' } });
  expect((await post('/guarded', address, bob.auth)).status).toBe(200);
  expect((await post('/open', address, ann.auth)).status).toBe(200);
  clock.advance(60_000);
  expect((await attempt()).status).toBe(200);
});

test('who is refused by the guard has used up nothing', async () => {
  const user = await createUser(suite.app);
  const address = freshAddress();
  for (let time = 0; time < 5; time += 1) expect((await post('/guarded', address)).status).toBe(401);
  expect((await post('/guarded', address, user.auth)).headers['x-ratelimit-remaining']).toBe('1');
});
