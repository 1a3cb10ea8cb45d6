import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Whole requests, head and body: a list that is sent in turn, each connection starting at another place of it, or a
 * function that makes each one when it is sent.
 */
export type Requests = readonly Buffer[] | (() => Buffer);

/** Texts of which a good answer holds every one, its first line included. */
export type Expectation = readonly Buffer[];

function expectation(...parts: readonly string[]): Expectation {
  return parts.map((part) => Buffer.from(part));
}

export const validVerdict = expectation('HTTP/1.1 200 OK\r\n', '"valid":true');
export const newActivation = expectation('HTTP/1.1 201 Created\r\n', '"status":"active"');
export const renewedActivation = expectation('HTTP/1.1 200 OK\r\n', '"status":"active"');
/** Where the first and the last of so many events were counted. */
export const countedUsage = (events: number) =>
  expectation('HTTP/1.1 200 OK\r\n', ...[0, events - 1].map((index) => `"index":${index},"status":"accepted"`));

export interface Load {
  readonly port: number;
  readonly requests: Requests;
  /** What each answer must be. */
  readonly expected: Expectation;
  /** What every answer ends with; the API's own end of an envelope unless given. */
  readonly end?: Buffer | undefined;
  /** Each has one request on its way at a time. */
  readonly connections: number;
}

/** What every answer in an envelope ends with. */
const endOfAnswer = Buffer.from('"api_version":"1"}}');

/** The requests of one connection, one after the other. */
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
 * Keeps the generator from ever going to sleep while it loads a server. Woken at each answer of the slower server, and
 * never by the faster one, it would add the cost of waking it (15 µs on a virtual machine) to one of the two only.
 */
function stayAwake(progress: Progress): void {
  if (!progress.isStopping) setImmediate(stayAwake, progress);
}

/** Keeps one connection busy; resolves when the load stops and everything sent was answered. */
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
        reject(new Error(`The server gave another answer than expected:\n${data.toString().slice(0, 2000)}`));
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
 * Loads a server for `durationMs` and answers the requests per second that it served. Every answer is looked at: one
 * that is not what was expected ends the measurement with an error. Autocannon, the library for this, goes to
 * sleep between the answers of a slow server, and waking it costs that server more than some steps that are measured.
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
