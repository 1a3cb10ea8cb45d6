/**
 * Sends requests on a fixed schedule, whatever the responses do: the process of `bench/open-loop.ts`. A latency counts
 * from the scheduled time, so a request that has to wait for a stalled server counts with all of its waiting.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { Answer, Order } from '../open-loop.ts';

const firstConnections = 16;
const endOfResponse = Buffer.from('"api_version":"1"}}');
const validVerdict = ['HTTP/1.1 200 OK\r\n', '"valid":true'].map((text) => Buffer.from(text));

interface Connection {
  readonly socket: Socket;
  /** The scheduled time of the request in progress. */
  dueAtMs: number;
  unread: Buffer;
}

const nothing = Buffer.alloc(0);
const free: Connection[] = [];
let latenciesMs: number[] = [];
let latenessMs: number[] = [];
let inFlight = 0;
let isRecording = false;
let ended: (() => void) | undefined;

/** The generator must not wait for a processor that the measured work uses. Only root may raise a priority. */
function takePrecedence(): void {
  try {
    setPriority(-19);
  } catch {
    console.error('The load generator runs at normal priority: run the benchmark as root for exact latencies.');
  }
}

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const connection: Connection = { socket, dueAtMs: 0, unread: nothing };
  socket.on('data', (chunk: Buffer) => receive(connection, chunk));
  socket.on('close', () => fail('The server closed a connection.'));
  await once(socket, 'connect');
  return connection;
}

function fail(problem: string): never {
  console.error(problem);
  process.exit(1);
}

function receive(connection: Connection, chunk: Buffer): void {
  const data = connection.unread.length === 0 ? chunk : Buffer.concat([connection.unread, chunk]);
  connection.unread = data;
  if (!data.includes(endOfResponse)) return;
  connection.unread = nothing;
  if (!validVerdict.every((part) => data.includes(part)))
    fail(`Not a valid verdict:\n${data.toString().slice(0, 2000)}`);
  if (isRecording) latenciesMs.push(performance.now() - connection.dueAtMs);
  inFlight -= 1;
  free.push(connection);
  if (inFlight === 0) ended?.();
}

async function send(port: number, request: Buffer, dueAtMs: number): Promise<void> {
  inFlight += 1;
  if (isRecording) latenessMs.push(performance.now() - dueAtMs);
  // The one that has rested longest: the server ends a connection on which no request arrives.
  const connection = free.shift() ?? (await open(port));
  connection.dueAtMs = dueAtMs;
  connection.socket.write(request);
}

/** Waits for the timer, whose unit is a millisecond, and then without sleeping for the exact time. */
async function waitUntil(timeMs: number): Promise<void> {
  const sleepMs = Math.floor(timeMs - performance.now());
  if (sleepMs > 0) await new Promise((resolve) => setTimeout(resolve, sleepMs));
  while (performance.now() < timeMs) await new Promise((resolve) => setImmediate(resolve));
}

async function sendForEver({ port, requests, perSecond }: Extract<Order, { kind: 'start' }>): Promise<never> {
  takePrecedence();
  for (let index = 0; index < firstConnections; index += 1) free.push(await open(port));
  const bytes = requests.map((request) => Buffer.from(request));
  const startedAtMs = performance.now();
  for (let sent = 0; ; sent += 1) {
    const dueAtMs = startedAtMs + (sent * 1000) / perSecond;
    await waitUntil(dueAtMs);
    void send(port, bytes[sent % bytes.length] ?? nothing, dueAtMs);
  }
}

/** Ends the recording, once every request that was sent until now has its response. */
async function endRecording(): Promise<Answer> {
  if (inFlight > 0) {
    await new Promise<void>((resolve) => {
      ended = resolve;
    });
  }
  isRecording = false;
  return { latenciesMs, latenessMs };
}

process.on('message', async (order: Order) => {
  if (order.kind === 'start') await sendForEver(order);
  if (order.kind === 'record') {
    latenciesMs = [];
    latenessMs = [];
    isRecording = true;
  }
  if (order.kind === 'stop') process.send?.(await endRecording());
});
process.on('disconnect', () => process.exit());
