import { once } from 'node:events';
import { expect, it } from 'vitest';
import { useBareServers } from '../../test/support/bare-servers.ts';
import { currentPoll } from '../lib/event-loop-poll.ts';
import { arrivalOf } from './arrival.ts';

const servers = useBareServers();

/** Starts a server that records the arrival of each request by its path, and connects to it. */
async function start() {
  const app = servers.create();
  const arrivals: Record<string, 'known' | 'unknown'> = {};
  app.addHook('onRequest', (request, reply, done) => {
    const arrival = arrivalOf(request.raw);
    if (arrival !== undefined) expect(arrival).toBe(currentPoll());
    arrivals[request.url] = arrival === undefined ? 'unknown' : 'known';
    if (request.url === '/refused') reply.code(401).send({});
    else done();
  });
  for (const path of ['/1', '/2', '/3', '/refused']) app.post(path, () => ({}));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = servers.connectTo(app).setEncoding('utf8');
  /** Sends bytes and waits for the given number of responses. */
  const send = async (bytes: string, responses: number) => {
    let received = '';
    socket.write(bytes);
    while ((received.match(/HTTP\/1\.1 /g)?.length ?? 0) < responses)
      received += String((await once(socket, 'data'))[0]);
  };
  return { arrivals, send };
}

const head = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
const whole = (path: string) => `${head(path)}{}`;

it.each([
  ['the first of a connection', [[whole('/1'), 1]], { '/1': 'unknown' }],
  [
    'one after a complete request',
    [
      [whole('/1'), 1],
      [whole('/2'), 1],
      [whole('/3'), 1],
    ],
    { '/1': 'unknown', '/2': 'known', '/3': 'known' },
  ],
  [
    'one that was sent together with the request before',
    [
      [whole('/1'), 1],
      [whole('/2') + whole('/3'), 2],
    ],
    { '/1': 'unknown', '/2': 'known', '/3': 'unknown' },
  ],
  [
    'one that arrives together with the body of a refused request',
    [
      [whole('/1'), 1],
      [head('/refused'), 1],
      [`{}${whole('/2')}`, 1],
      [whole('/3'), 1],
    ],
    { '/1': 'unknown', '/refused': 'known', '/2': 'unknown', '/3': 'known' },
  ],
] as const)(
  'the poll in which a request began to arrive is known only if it is certain: %s',
  async (_what, sent, expected) => {
    const { arrivals, send } = await start();
    for (const [bytes, responses] of sent) await send(bytes, responses);
    expect(arrivals).toEqual(expected);
  },
);
