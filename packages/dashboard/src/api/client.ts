import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { SurfaceId } from '../surfaces.ts';
import { problemOf, unreachable } from './problem.ts';
import { keyOf, queryClient } from './query-client.ts';
import type { paths } from './schema.gen.ts';
import { type Area, expireSession, readSession } from './session.ts';

/** A client of the API. Every call returns `{ data }` or throws a `Problem`. */
export type Api = Client<paths>;

const tenantBase = '/api/v1/tenant/';

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.clone().json();
  } catch {
    return null;
  }
}

/** Sends the session's token, and turns every failure into a `Problem`. A dead session ends in all tabs. */
function authenticate(area: Area, tenantId: string | null): Middleware {
  return {
    onRequest({ request }) {
      const session = readSession(area);
      if (session !== null) request.headers.set('authorization', `Bearer ${session.token}`);
      if (area === 'tenant' && tenantId !== null) request.headers.set('x-tenant-id', tenantId);
      return request;
    },
    async onResponse({ request, response }) {
      if (response.ok) return;
      const problem = problemOf(response, await bodyOf(response));
      const sent = request.headers.get('authorization');
      // Another tab may have logged in again since; its session must survive.
      const isCurrent = sent === `Bearer ${readSession(area)?.token}`;
      if (problem.code === 'AUTH.INVALID_TOKEN' && isCurrent) expireSession(area);
      // The tenant was suspended or closed while the person worked: the shell shows its state.
      if (area === 'tenant' && problem.code.startsWith('TENANT.STATUS.')) {
        void queryClient.invalidateQueries({ queryKey: keyOf({ area, tenantId: null }, 'me') });
      }
      throw problem;
    },
    onError({ error }) {
      throw unreachable(error);
    },
  };
}

/**
 * Returns the class of requests that go to the admin surface of a tenant. The URL changes before the request exists: a
 * copy of a request has a stream as its body, which browsers send over HTTP/2 only.
 */
function requestsTo(tenantId: string): typeof Request {
  return class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === 'string' ? adminUrl(input, tenantId) : input, init);
    }
  };
}

function adminUrl(text: string, tenantId: string): string {
  const url = new URL(text);
  if (url.pathname.startsWith(tenantBase)) {
    url.pathname = `/api/v1/admin/tenants/${tenantId}/${url.pathname.slice(tenantBase.length)}`;
  }
  return url.href;
}

/** Returns the client of an area; `tenantId` is the tenant that the calls act on. */
function createApi(area: Area, tenantId: string | null): Api {
  const isMirrored = area === 'admin' && tenantId !== null;
  const client = createClient<paths>({
    baseUrl: window.location.origin,
    ...(isMirrored && { Request: requestsTo(tenantId) }),
  });
  client.use(authenticate(area, tenantId));
  return client;
}

const clients = new Map<string, Api>();

/** Returns the one client of a surface. */
export function apiOf({ area, tenantId }: SurfaceId): Api {
  const key = `${area} ${tenantId ?? ''}`;
  const client = clients.get(key) ?? createApi(area, tenantId);
  clients.set(key, client);
  return client;
}

/** Returns the text of a new `Idempotency-Key`. A form keeps its key until its submission succeeds. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}
