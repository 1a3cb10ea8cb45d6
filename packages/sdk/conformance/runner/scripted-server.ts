import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isObject, type Json, type JsonObject } from './json.ts';

/** A request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** The segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: string | null;
  readonly headers: JsonObject;
  /** The decoded JSON; null without a body; a text if it is not JSON. */
  readonly body: Json;
}

/** What the server does with one request. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly text?: string;
  /**
   * `close`: end the connection without a response. `reset`: the same with an error. `hang`: never answer. `truncate`:
   * end the connection in the middle of the body. `drip`: send the body endlessly, byte by byte. `garbage`: no HTTP.
   */
  readonly fault?: 'close' | 'reset' | 'hang' | 'truncate' | 'drip' | 'garbage';
  /** Keep the connection open; `then_close`: and close it after the response, while the client believes it open. */
  readonly keep_alive?: boolean | 'then_close';
}

/** A server that answers each request with the next scripted response, and records the requests. */
export class ScriptedServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #script: ScriptedResponse[] = [];
  #requests: RecordedRequest[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error) => response.destroy(error));
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Starts a server on a free port of the loopback address. */
  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.#server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  /** The URL of the server, without a slash at its end. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the responses to the next requests, and deletes the record of earlier ones. */
  expect(script: readonly ScriptedResponse[]): void {
    this.#script = [...script];
    this.#requests = [];
  }

  /** The requests since `expect`. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** Ends every connection and the server. */
  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Ends every connection. */
  reset(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    this.#requests.push(record(request, body));
    const next: ScriptedResponse = this.#script.shift() ?? { status: 500, text: 'The case expects no such request.' };
    if (next.fault !== undefined) this.#misbehave(next.fault, request.socket, response, next);
    else this.#answer(request.socket, response, next, body);
  }

  #answer(socket: Socket, response: ServerResponse, next: ScriptedResponse, requestBody: Json): void {
    const { status = 200, headers = {}, json, text = '', keep_alive: keepAlive = false } = next;
    const body = json === undefined ? text : JSON.stringify(fill(json, requestBody));
    const type = json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
    const connection = keepAlive === false ? { connection: 'close' } : {};
    response.writeHead(status, { ...type, 'x-service-api-version': '1', ...connection, ...dated(headers) });
    response.end(body, () => {
      if (keepAlive === 'then_close') socket.end();
    });
  }

  #misbehave(fault: string, socket: Socket, response: ServerResponse, { json = {} }: ScriptedResponse): void {
    const body = JSON.stringify(json);
    if (fault === 'close') socket.end();
    else if (fault === 'reset') socket.resetAndDestroy();
    else if (fault === 'garbage') socket.end('This is no HTTP.\r\n\r\n');
    else if (fault === 'truncate') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length + 10) });
      response.write(body, () => socket.end());
    } else if (fault === 'drip') {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.write('{');
      this.#timers.add(setInterval(() => response.write(' '), 20));
    }
  }
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function record(request: IncomingMessage, body: Json): RecordedRequest {
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  return {
    method: request.method ?? '',
    path: path.split('/').slice(1).map(decode),
    query: query ?? null,
    headers,
    body,
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return `(not decodable) ${segment}`;
  }
}

/** Replaces `{ "$request": "nonce" }` by that field of the request's body. */
function fill(value: Json, requestBody: Json): Json {
  if (Array.isArray(value)) return value.map((item) => fill(item, requestBody));
  if (!isObject(value)) return value;
  const name = value['$request'];
  if (typeof name === 'string') return isObject(requestBody) ? (requestBody[name] ?? null) : null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, requestBody)]));
}

/** Replaces the header value `{date+3}` by the date in three seconds. */
function dated(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const [, seconds] = /^\{date([+-]\d+)\}$/.exec(value) ?? [];
      return [name, seconds === undefined ? value : new Date(Date.now() + Number(seconds) * 1000).toUTCString()];
    }),
  );
}
