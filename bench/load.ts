import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Complete requests, head and body: a list, which each connection sends in order from another starting point, or a
 * function that creates each request when it is sent.
 */
export type Requests = readonly Buffer[] | (() => Buffer);

/** Texts that a correct response contains, including its status line. */
export type Expectation = readonly Buffer[];

function expectation(...parts: readonly string[]): Expectation {
  return parts.map((part) => Buffer.from(part));
}

export const validVerdict = expectation('HTTP/1.1 200 OK\r\n', '"valid":true');
export const newActivation = expectation('HTTP/1.1 201 Created\r\n', '"status":"active"');
export const renewedActivation = expectation('HTTP/1.1 200 OK\r\n', '"status":"active"');
/** Expects a response to a batch of `events` usage events in which the first and the last event are accepted. */
export const countedUsage = (events: number) =>
  expectation('HTTP/1.1 200 OK\r\n', ...[0, events - 1].map((index) => `"index":${index},"status":"accepted"`));

export interface Load {
  readonly port: number;
  readonly requests: Requests;
  /** Properties of a correct response. */
  readonly expected: Expectation;
  /** The end of every response; default: the end of the API's envelope. */
  readonly end?: Buffer | undefined;
  /** Number of connections, each with one active request at a time. */
  readonly connections: number;
}

/** The end of every response in an envelope. */
const endOfAnswer = Buffer.from('"api_version":"1"}}');

/** Yields the requests of one connection. */
function requestsFrom(requests: Requests, start: number): () => Buffer {
  if (typeof requests === 'function') return requests;
  let position = start;
  return () => {
    const request = requests[position];
    if (request === undefined) throw new Error('There is no request to send.');
    position = (position + 1) % requests.length;
    return request;
  };
}

const nothing: Buffer = Buffer.alloc(0);

interface Progress {
  answers: number;
  isStopping: boolean;
}

/**
 * Keeps the generator from sleeping while it loads a server. The slower server would wake it at each response and the
 * faster one never, so only one of the two would pay for waking it (15 µs on a virtual machine).
 */
function stayAwake(progress: Progress): void {
  if (!progress.isStopping) setImmediate(stayAwake, progress);
}

/** Keeps one connection busy; resolves when the load stops and all responses have arrived. */
async function drive(load: Load, start: number, progress: Progress): Promise<void> {
  const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const { end = endOfAnswer } = load;
  const nextRequest = requestsFrom(load.requests, start);
  let unread = nothing;
  const sendNext = () => socket.write(nextRequest());
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection under load.')));
    socket.on('data', (chunk: Buffer) => {
      const data = Buffer.concat([unread, chunk]);
      unread = data;
      if (!data.includes(end)) return;
      unread = nothing;
      if (!load.expected.every((part) => data.includes(part)))
        reject(new Error(`The server did not send the expected response:\n${data.toString().slice(0, 2000)}`));
      progress.answers += 1;
      if (progress.isStopping) resolve();
      else sendNext();
    });
  });
  sendNext();
  try {
    await done;
  } finally {
    socket.removeAllListeners('close').destroy();
  }
}

/**
 * Loads a server for `durationMs` and returns the served requests per second. Every response is checked: an unexpected
 * one ends the measurement with an error. The library Autocannon sleeps between the responses of a slow server, and
 * waking it costs that server more than some of the measured steps.
 */
export async function applyLoad(load: Load, durationMs: number): Promise<number> {
  const progress: Progress = { answers: 0, isStopping: false };
  const startedAt = performance.now();
  let perSecond = 0;
  const timer = setTimeout(() => {
    perSecond = (progress.answers / (performance.now() - startedAt)) * 1000;
    progress.isStopping = true;
  }, durationMs);
  const step = typeof load.requests === 'function' ? 0 : load.requests.length / load.connections;
  stayAwake(progress);
  const connections = Array.from({ length: load.connections }, (_, index) => Math.floor(index * step));
  try {
    await Promise.all(connections.map((start) => drive(load, start, progress)));
  } finally {
    clearTimeout(timer);
  }
  return perSecond;
}
