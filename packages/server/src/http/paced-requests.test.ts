import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useBareServers } from '../../test/support/bare-servers.ts';
import { startOnePerTurn } from './paced-requests.ts';
import { finishRequests } from './server.ts';

const callers = 30;
const servers = useBareServers();

/** Starts a server that records its requests, and connects to it. The requests to `/paced/…` start one per turn. */
async function start() {
  const app = servers.create();
  const handled: string[] = [];
  const handle = ({ url }: { url: string }) => {
    handled.push(url);
    return {};
  };
  app.get('/other', handle);
  app.register((paced, _options, done) => {
    paced.addHook('onRequest', startOnePerTurn());
    paced.get('/paced/:caller', handle);
    done();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const open = async () => {
    const socket = servers.connectTo(app).setEncoding('utf8');
    // The server has accepted the connection.
    await answerTo(socket, '/none');
    return socket;
  };
  const sockets: Socket[] = [];
  for (let caller = 0; caller < callers; caller += 1) sockets.push(await open());
  return { app, handled, sockets, other: await open() };
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

async function answerTo(socket: Socket, path: string): Promise<string> {
  socket.write(requestOf(path));
  return String((await once(socket, 'data'))[0]);
}

const pacedPaths = Array.from({ length: callers }, (_, caller) => `/paced/${caller}`);

/** Sends one paced request on each connection, all in one turn. */
function sendAtOnce(sockets: readonly Socket[]): Promise<string[]> {
  return Promise.all(sockets.map((socket, caller) => answerTo(socket, `/paced/${caller}`)));
}

test('paced requests that arrive together start one per turn in their order, and other requests are handled between them', async () => {
  const { handled, sockets, other } = await start();
  let isOver = false;
  const burst = sendAtOnce(sockets).finally(() => {
    isOver = true;
  });
  while (!isOver) await answerTo(other, '/other');
  for (const answer of await burst) expect(answer).toMatch(/^HTTP\/1\.1 200/);

  expect(handled.filter((url) => url !== '/other')).toEqual(pacedPaths);
  // Until the first poll ends, one starts for the poll and one for the turn that it belongs to.
  expect(handled.indexOf('/other')).toBeLessThanOrEqual(2);
  const between = handled.filter((url, index) => url === '/other' && index < handled.lastIndexOf('/paced/29'));
  expect(between.length).toBeGreaterThan(callers / 5);
});

test('a paced request that finds no other one starts at once', async () => {
  const { app, handled, sockets, other } = await start();
  for (const [caller, socket] of sockets.slice(0, 3).entries()) {
    const arrived = once(app.server, 'request').then(() => [...handled]);
    await answerTo(socket, `/paced/${caller}`);
    expect(await arrived).toContain(`/paced/${caller}`);
  }
  expect(await answerTo(other, '/other')).toMatch(/^HTTP\/1\.1 200/);
});

test('requests whose callers leave while they wait do not hold up the ones behind them', async () => {
  const { handled, sockets } = await start();
  const [first, ...others] = sockets;
  const last = others.at(-1);
  for (const [caller, socket] of sockets.slice(0, -1).entries()) socket.write(requestOf(`/paced/${caller}`));
  const answer = last === undefined ? '' : answerTo(last, '/paced/29');
  while (handled.length === 0) await nextTurn();
  first?.destroy();
  for (const socket of others.slice(0, -1)) socket.destroy();
  expect(await answer).toMatch(/^HTTP\/1\.1 200/);
  expect(handled.at(-1)).toBe('/paced/29');
});

test('a stop answers the requests that wait, and then ends', async () => {
  const { app, handled, sockets } = await start();
  const burst = sendAtOnce(sockets);
  while (handled.length === 0) await nextTurn();
  expect(handled.length).toBeLessThan(callers);
  const stopped = finishRequests(app);
  for (const answer of await burst) expect(answer).toMatch(/^HTTP\/1\.1 200/);
  await stopped;
  expect(handled).toEqual(pacedPaths);
});
