import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { selfSigned } from '../../../../test/support/self-signed.ts';
import { closeAfterEach, closers, httpServer, listen, makeSender, message, rawServer } from './sender.fixture.ts';

closeAfterEach();

test('an idle connection is closed after 15 s without a request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  closers.push(() => vi.useRealTimers());
  const closed = Promise.withResolvers<void>();
  let connections = 0;
  const server = createHttpServer((_request, response) => response.end());
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => closed.resolve());
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const sender = makeSender();
  expect((await sender.send(message(url))).error).toBeNull();
  vi.advanceTimersByTime(14_000);
  expect((await sender.send(message(url))).error).toBeNull();
  vi.advanceTimersByTime(14_000);
  expect((await sender.send(message(url))).error).toBeNull();
  expect(connections).toBe(1);
  vi.advanceTimersByTime(15_000);
  await closed.promise;
});

test('while 256 connections are idle, no connection to a further host is kept', async () => {
  const held: ServerResponse[] = [];
  const busy = await httpServer((_request, response) => {
    held.push(response);
    if (held.length < 256) return;
    for (const waiting of held.splice(0)) waiting.end();
  });
  const seen: (string | undefined)[] = [];
  const further = await httpServer((request, response) => {
    seen.push(request.headers.connection);
    response.end();
  });
  const sender = makeSender();
  expect((await sender.send(message(further))).error).toBeNull();
  await Promise.all(Array.from({ length: 256 }, () => sender.send(message(busy))));
  const another = await httpServer((request, response) => {
    seen.push(request.headers.connection);
    response.end();
  });
  for (const url of [another, another, further]) expect((await sender.send(message(url))).error).toBeNull();
  expect(seen).toEqual(['keep-alive', 'close', 'close', 'keep-alive']);
});

function trustSelfSigned(): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, selfSigned.cert]);
  closers.push(() => setDefaultCACertificates(trusted));
}

test.each(['http', 'https'])(
  'a request over a kept %s connection that the endpoint has closed is repeated over a new one',
  async (scheme) => {
    trustSelfSigned();
    let connections = 0;
    const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    const onConnection = (socket: Socket) => {
      connections += 1;
      const own = connections;
      let requests = 0;
      socket.on('data', (chunk) => {
        // Headers and body may arrive separately; the body ends the request.
        if (!chunk.toString().endsWith('}')) return;
        requests += 1;
        if (own === 1 && requests === 2) socket.destroy();
        else socket.write(reply);
      });
    };
    const server = scheme === 'http' ? createTcpServer(onConnection) : createTlsServer({ ...selfSigned }, onConnection);
    const url = `${scheme}://localhost:${await listen(server)}/`;
    const sender = makeSender();
    expect((await sender.send(message(url))).error).toBeNull();
    expect((await sender.send(message(url))).error).toBeNull();
    expect(connections).toBe(2);
  },
);

test('a request over a new connection that the endpoint closes is not repeated', async () => {
  let requests = 0;
  const url = await rawServer((socket) => {
    requests += 1;
    socket.destroy();
  });
  expect((await makeSender().send(message(url))).error).toBe('connection_reset');
  expect(requests).toBe(1);
});

test('a request that was cancelled before its connection was open is not sent', async () => {
  let receivedBytes = 0;
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
    });
    socket.on('close', () => closed.resolve());
  });
  const port = await listen(server);
  const resolved = Promise.withResolvers<string[]>();
  const asked = Promise.withResolvers<void>();
  const resolve = () => {
    asked.resolve();
    return resolved.promise;
  };
  const cancellation = new AbortController();
  const sent = makeSender({ resolve }).send(message(`http://hooks.example.com:${port}/`), cancellation.signal);
  await asked.promise;
  cancellation.abort();
  expect((await sent).error).toBe('cancelled');
  resolved.resolve(['127.0.0.1']);
  await closed.promise;
  expect(receivedBytes).toBe(0);
});

test('a further TLS connection to an endpoint resumes the session of the first', async () => {
  trustSelfSigned();
  const resumed: boolean[] = [];
  const server = createHttpsServer({ ...selfSigned }, (_request, response) => {
    response.writeHead(200, { connection: 'close' }).end();
  });
  server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()));
  const url = `https://localhost:${await listen(server)}/`;
  const sender = makeSender();
  expect((await sender.send(message(url))).error).toBeNull();
  expect((await sender.send(message(url))).error).toBeNull();
  expect(resumed).toEqual([false, true]);
});

test.each([
  ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', '', 1],
  ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n', 'ok\r\n0\r\n\r\n', 1],
  [
    'an interim response before it',
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n',
    'Content-Length: 2\r\n\r\nok',
    1,
  ],
  ['a head in two pieces', 'HTTP/1.1 200 OK\r\nContent-', 'Length: 2\r\n\r\nok', 1],
  ['bytes after it', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n', '', 2],
  ['"Connection: close"', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok', '', 2],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', '', 2],
])(
  'two requests whose responses have %s share a connection only if it stays in step',
  async (_what, first, rest, expected) => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('data', (chunk) => {
        if (!chunk.toString().endsWith('}')) return;
        socket.write(first);
        setImmediate(() => socket.write(rest));
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const sender = makeSender();
    for (const _request of [1, 2]) {
      expect(await sender.send(message(url))).toMatchObject({ error: null, responseStatus: 200, responseBody: 'ok' });
    }
    expect(connections).toBe(expected);
  },
);
