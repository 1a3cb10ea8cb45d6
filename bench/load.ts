import { once } from 'node:events';
import { connect } from 'node:net';

/** What a load consists of. Requests are sent in turn, each connection starting at another place of the list. */
export interface Load {
  readonly port: number;
  /** Whole requests, head and body. */
  readonly requests: readonly Buffer[];
  /** Each has one request on its way at a time. */
  readonly connections: number;
}

/** What every answer of the API ends with, and what a good one holds: one of each per request. */
const endOfAnswer = Buffer.from('"api_version":"1"}}');
const goodParts = [Buffer.from('HTTP/1.1 200 OK\r\n'), Buffer.from('"valid":true')];

function isValidVerdict(answer: Buffer): boolean {
  return goodParts.every((part) => answer.includes(part));
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
  let position = start;
  let unread = nothing;
  const sendNext = () => {
    const request = load.requests[position];
    position = (position + 1) % load.requests.length;
    if (request !== undefined) socket.write(request);
  };
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection under load.')));
    socket.on('data', (chunk: Buffer) => {
      const data = Buffer.concat([unread, chunk]);
      unread = data;
      if (!data.includes(endOfAnswer)) return;
      unread = nothing;
      if (!isValidVerdict(data))
        reject(new Error(`The server gave no valid verdict:\n${data.toString().slice(0, 2000)}`));
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
 * that is not a 200 with a valid verdict ends the measurement with an error. Autocannon, the library for this, goes to
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
  const step = load.requests.length / load.connections;
  stayAwake(progress);
  const connections = Array.from({ length: load.connections }, (_, index) => Math.floor(index * step));
  try {
    await Promise.all(connections.map((start) => drive(load, start, progress)));
  } finally {
    clearTimeout(timer);
  }
  return perSecond;
}
