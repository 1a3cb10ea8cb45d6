import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LicensingError } from '../../src/index.ts';
import { fromWire, toWire } from '../../src/naming.ts';
import type { FakeService } from './fake-service.ts';

// The body of a request is what an SDK sent.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Body = any;

type Call = (service: FakeService, parts: readonly string[], body: Body) => Promise<unknown>;

/** The routes of the Integration API that a guard calls. `*` is a license key or an id. */
const routes: Readonly<Record<string, Call>> = {
  'licenses/*/validate': (service, [key = ''], body) => service.validate(key, body),
  'licenses/*/activations': (service, [key = ''], body) => service.activate(key, body),
  'licenses/*/activations/list': (service, [key = ''], body) => service.listActivations(key, body),
  'licenses/*/activations/*/heartbeat': (service, [key = '', id = '']) => service.heartbeat(key, id),
  'licenses/*/activations/*/deactivate': (service, [key = '', id = '']) => service.deactivate(key, id),
  'licenses/*/certificate': (service, [key = ''], body) => service.issueCertificate(key, body),
  'releases/latest': (service, _parts, body) => service.latestRelease(body),
  trials: (service, _parts, body) => service.startTrial(body),
  'trials/confirm': (service, _parts, { code }) => service.confirmTrial(code),
};

/** The service of a case, over HTTP. */
export interface HttpService {
  readonly origin: string;
  /** The service that answers from now on. */
  service: FakeService | undefined;
  stop(): Promise<void>;
}

/** Starts a server that answers with whatever service the running case has. */
export async function startHttpService(): Promise<HttpService> {
  const server = createServer((request, response) => void answer(started.service, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started: HttpService = {
    origin: `http://127.0.0.1:${port}`,
    service: undefined,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

async function answer(service: FakeService | undefined, request: IncomingMessage, response: ServerResponse) {
  const body = fromWire(JSON.parse((await readBody(request)) || '{}'));
  const reply = (status: number, content: object) => {
    // Whether an SDK sends a request again when a kept connection breaks is not the subject of these cases.
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(toWire(content)));
  };
  try {
    if (service === undefined) throw new Error('No case runs.');
    const { call, parts } = routeOf(request.url ?? '');
    reply(200, { data: await call(service, parts, body), error: null });
  } catch (error) {
    if (!(error instanceof LicensingError))
      return reply(500, { error: { code: 'CASE.FAILED', message: String(error) } });
    const { code, message, status } = error;
    if (status === undefined) return request.socket.destroy();
    return reply(status, { data: null, error: { code, message, details: [] } });
  }
}

function routeOf(url: string): { readonly call: Call; readonly parts: readonly string[] } {
  const path = url.replace(/^\/api\/v1\/integration\//, '');
  for (const [route, call] of Object.entries(routes)) {
    const found = new RegExp(`^${route.replaceAll('*', '([^/]+)')}$`).exec(path);
    if (found !== null) return { call, parts: found.slice(1).map(decodeURIComponent) };
  }
  throw new Error(`A guard does not call ${url}.`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
