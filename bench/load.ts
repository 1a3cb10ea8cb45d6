import { once } from 'node:events';
import { connect } from 'node:net';

/** Texts that a correct response contains, including its status line. */
export type Expectation = readonly Buffer[];

const expectation = (...parts: readonly string[]): Expectation => parts.map((part) => Buffer.from(part));

export const validVerdict = expectation('HTTP/1.1 200 OK\r\n', '"valid":true');
export const renewedActivation = expectation('HTTP/1.1 200 OK\r\n', '"status":"active"');
export const countedUsage = expectation('HTTP/1.1 200 OK\r\n', '"index":0,"status":"accepted"');

/** A complete request, head and body, and its correct response. */
export interface Request {
  readonly bytes: Buffer;
  readonly expected: Expectation;
}

/** A list, which each connection sends in order from another starting point, or a function that returns the next. */
export type Requests = readonly Request[] | (() => Request);

export interface Load {
  readonly port: number;
  readonly requests: Requests;
  /** Only the latencies of responses with this expectation are kept; default: all. */
  readonly timed?: Expectation | undefined;
}

/** What a load generator did. */
export interface Served {
  readonly answers: number;
  readonly seconds: number;
  /** 99 % of the timed responses arrived within this time. */
  readonly p99Ms: number;
}

/** Many connections without pipelining, as applications call the API. */
export const connections = 32;

/** The end of every response in an envelope. */
const endOfAnswer = Buffer.from('"api_version":"1"}}');
const nothing: Buffer = Buffer.alloc(0);

interface Progress {
  readonly latenciesMs: number[];
  answers: number;
  isStopping: boolean;
}

/**
 * Keeps the generator from sleeping. A slow server would have to wake it at each response and a fast one never, so
 * only one of the two would pay for it (15 µs on a virtual machine).
 */
function stayAwake(progress: Progress): void {
  if (!progress.isStopping) setImmediate(stayAwake, progress);
}

/** Returns the items one after another, over all callers together. */
export function inTurn<Item>(items: readonly Item[], start = 0): () => Item {
  let position = start - 1;
  return () => {
    position = (position + 1) % items.length;
    return items[position] as Item;
  };
}

const isCorrect = (answer: Buffer, { expected }: Request) => expected.every((part) => answer.includes(part));

function record({ timed }: Load, { expected }: Request, latencyMs: number, progress: Progress): void {
  if (timed === undefined || timed === expected) progress.latenciesMs.push(latencyMs);
  progress.answers += 1;
}

/** Keeps one connection busy with one request at a time, until the load stops and its last response has arrived. */
async function drive(load: Load, start: number, progress: Progress): Promise<void> {
  const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const nextRequest = typeof load.requests === 'function' ? load.requests : inTurn(load.requests, start);
  let unread = nothing;
  let request = nextRequest();
  let sentAt = performance.now();
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection under load.')));
    socket.on('data', (chunk: Buffer) => {
      const data = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      unread = data;
      if (!data.includes(endOfAnswer)) return;
      unread = nothing;
      const now = performance.now();
      if (!isCorrect(data, request)) reject(new Error(`The server sent an unexpected response:\n${data}`));
      record(load, request, now - sentAt, progress);
      if (progress.isStopping) return resolve();
      request = nextRequest();
      sentAt = now;
      socket.write(request.bytes);
    });
  });
  socket.write(request.bytes);
  try {
    await done;
  } finally {
    socket.removeAllListeners('close').destroy();
  }
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN;
}

/**
 * Loads a server for `durationMs` from this process, which never sleeps meanwhile. Every response is checked: an
 * unexpected one ends the measurement with an error.
 */
export async function applyLoad(load: Load, durationMs: number): Promise<Served> {
  const progress: Progress = { latenciesMs: [], answers: 0, isStopping: false };
  const startedAt = performance.now();
  const timer = setTimeout(() => {
    progress.isStopping = true;
  }, durationMs);
  const step = typeof load.requests === 'function' ? 0 : load.requests.length / connections;
  stayAwake(progress);
  const starts = Array.from({ length: connections }, (_, index) => Math.floor(index * step));
  try {
    await Promise.all(starts.map((start) => drive(load, start, progress)));
  } finally {
    clearTimeout(timer);
    progress.isStopping = true;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { answers: progress.answers, seconds, p99Ms: p99(progress.latenciesMs) };
}
