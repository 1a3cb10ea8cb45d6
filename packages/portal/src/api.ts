import createClient from 'openapi-fetch';
import { Problem, problemOf } from './problem.ts';
import type { Checkout } from './router.ts';
import type { PortalDevice, PortalLicense, PortalVersion, paths } from './shapes.ts';

/** A page of a list, and the cursor of the next one. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** The requests of the page. Each throws a `Problem` if it fails. */
export type Api = ReturnType<typeof createApi>;

/** How the requests reach the session. */
export interface ApiOptions {
  readonly handle: string;
  readonly token: () => string | null;
  /** The service no longer accepts the token of a request. */
  readonly onRefused: (token: string) => void;
}

function createHttp({ token, onRefused }: ApiOptions) {
  const client = createClient<paths>({ baseUrl: window.location.origin });
  client.use({
    onRequest({ request }) {
      // Mails that a request causes are in the language of the page.
      request.headers.set('accept-language', document.documentElement.lang);
      const present = token();
      if (present !== null) request.headers.set('authorization', `Bearer ${present}`);
      return request;
    },
    async onResponse({ request, response }) {
      if (response.ok) return;
      const sent = request.headers.get('authorization')?.replace(/^Bearer /, '');
      if (response.status === 401 && sent !== undefined) onRefused(sent);
      throw await problemOf(response);
    },
    onError: ({ error }) => new Problem('NETWORK.UNREACHABLE', { cause: error }),
  });
  return client;
}

/** Creates the requests to one portal. */
export function createApi(options: ApiOptions) {
  const http = createHttp(options);
  const { handle } = options;
  const path = { handle };
  const data = async <Value>(answer: Promise<{ data?: { data: Value } }>): Promise<Value> =>
    (await answer).data?.data as Value;
  return {
    loadBrand: async () => {
      const brand = await data(http.GET('/api/v1/portal/{handle}', { params: { path } }));
      return { ...brand, logo_url: brand.logo_url === null ? null : ownPath(brand.logo_url) };
    },
    loadPurchase: (query: Checkout) =>
      data(http.GET('/api/v1/portal/{handle}/purchase', { params: { path, query: { ...query } } })),
    requestCode: async (email: string) => {
      await http.POST('/api/v1/portal/{handle}/login', { params: { path }, body: { email } });
    },
    logInWithCode: (email: string, code: string) =>
      data(http.POST('/api/v1/portal/{handle}/login/code', { params: { path }, body: { email, code } })),
    logInWithLink: (token: string) =>
      data(http.POST('/api/v1/portal/{handle}/login/link', { params: { path }, body: { token } })),
    logOut: async () => {
      await http.POST('/api/v1/portal/{handle}/logout', { params: { path } });
    },
    listLicenses: async (cursor?: string): Promise<Slice<PortalLicense>> =>
      slice(
        await http.GET('/api/v1/portal/{handle}/licenses', {
          params: { path, query: cursor === undefined ? {} : { cursor } },
        }),
      ),
    loadLicense: (id: string) =>
      data(http.GET('/api/v1/portal/{handle}/licenses/{id}', { params: { path: { handle, id } } })),
    loadKey: (id: string) =>
      data(http.GET('/api/v1/portal/{handle}/licenses/{id}/key', { params: { path: { handle, id } } })),
    replaceKey: (id: string) =>
      data(http.POST('/api/v1/portal/{handle}/licenses/{id}/replace-key', { params: { path: { handle, id } } })),
    listDevices: async (id: string, cursor?: string): Promise<Slice<PortalDevice>> =>
      slice(
        await http.GET('/api/v1/portal/{handle}/licenses/{id}/devices', {
          params: { path: { handle, id }, query: cursor === undefined ? {} : { cursor } },
        }),
      ),
    releaseDevice: async (id: string, activation_id: string) => {
      await http.POST('/api/v1/portal/{handle}/licenses/{id}/devices/{activation_id}/release', {
        params: { path: { handle, id, activation_id } },
      });
    },
    listVersions: (id: string): Promise<readonly PortalVersion[]> =>
      data(http.GET('/api/v1/portal/{handle}/licenses/{id}/releases', { params: { path: { handle, id } } })),
    download: (id: string, release_id: string, artifact_id: string) =>
      data(
        http.POST('/api/v1/portal/{handle}/licenses/{id}/releases/{release_id}/artifacts/{artifact_id}/download', {
          params: { path: { handle, id, release_id, artifact_id } },
        }),
      ),
    activateOffline: (id: string, request: string) =>
      data(
        http.POST('/api/v1/portal/{handle}/licenses/{id}/offline-activations', {
          params: { path: { handle, id } },
          body: { request },
        }),
      ),
  };
}

/** The page may load images of its own origin only, whichever name of the service the person has opened. */
function ownPath(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

function slice<Item>(answer: { data?: { data: readonly Item[]; meta: { next_cursor: string | null } } }): Slice<Item> {
  return { items: answer.data?.data ?? [], next: answer.data?.meta.next_cursor ?? null };
}
