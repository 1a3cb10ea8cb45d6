import { afterAll } from 'vitest';
import { type OpenIdProvider, startOpenIdProvider } from '../../../../tools/openid-provider/provider.ts';
import { freshAddress } from './accounts.ts';
import { type Answer, type TestApp, useApp } from './harness.ts';

/** The client that the suites register at their provider. */
export const signOnClient = {
  id: 'licensing',
  secret: 'a-client-secret-of-the-tests-0123456789',
  redirectUris: ['http://127.0.0.1:3000/api/v1/auth/oidc/callback'],
} as const;

/** The settings of a service whose provider is `issuer`. */
export function signOnSettings(issuer: string): NodeJS.ProcessEnv {
  return {
    PUBLIC_URL: 'http://127.0.0.1:3000',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: signOnClient.id,
    OIDC_CLIENT_SECRET: signOnClient.secret,
    OIDC_NAME: 'Example ID',
    OIDC_ADMIN_CLAIM: 'licensing_role',
  };
}

/** Starts one service and a real provider for the suite file. */
export function useSingleSignOn(env: NodeJS.ProcessEnv = {}): {
  readonly app: TestApp;
  readonly provider: OpenIdProvider;
} {
  let provider: OpenIdProvider | undefined;
  const suite = useApp(async () => {
    provider = await startOpenIdProvider({ port: 0, client: signOnClient });
    return { ...signOnSettings(provider.issuer), ...env };
  });
  afterAll(() => provider?.close());
  return {
    get app() {
      suite.app.secrets.note(signOnClient.secret);
      return suite.app;
    },
    get provider() {
      if (provider === undefined) throw new Error('The provider exists only inside tests and hooks.');
      return provider;
    },
  };
}

/** What the dashboard finds in the fragment of its URL after a login. */
export type Arrival = Readonly<Record<'ability' | 'next' | 'code' | 'error', string | undefined>>;

/** A browser with cookies, which logs in at a service. */
export interface SignOnBrowser {
  /** Opens the address that starts a login. */
  start(query?: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Opens the callback with the query of the provider. */
  comeBack(query: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends the code of a finished login. */
  exchange(code: string | undefined, fields?: object): Promise<Answer>;
  /** The `Cookie` header of the browser. */
  readonly cookie: string;
}

/** Opens a browser without cookies, by default at an unused client address. */
export function openBrowser(app: TestApp, remoteAddress = freshAddress()): SignOnBrowser {
  let cookie = '';
  const open = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const url = `/api/v1/auth/oidc${path}`;
    const answer = await app.request({ method: 'GET', url, remoteAddress, headers: { ...headers, cookie } });
    cookie = String(answer.headers['set-cookie'] ?? cookie).split(';')[0] ?? '';
    const { code } = arrivalOf(answer);
    for (const secret of [code, cookie.split('=')[1]]) if (secret) app.secrets.note(secret);
    return answer;
  };
  return {
    start: (query = {}, headers) => open(`/start?${new URLSearchParams(query)}`, headers),
    comeBack: (query, headers) => open(`/callback?${query}`, headers),
    exchange: (code = '', fields = {}) =>
      app.request({
        method: 'POST',
        url: '/api/v1/auth/oidc/token',
        remoteAddress,
        headers: { cookie },
        payload: { code, ...fields },
      }),
    get cookie() {
      return cookie;
    },
  };
}

/** Returns the fragment of the page to which a finished login redirects. */
export function arrivalOf({ headers }: Answer): Arrival {
  const fragment = new URLSearchParams(String(headers.location ?? '').split('#')[1] ?? '');
  const read = (name: string) => fragment.get(name) ?? undefined;
  return { ability: read('ability'), next: read('next'), code: read('code'), error: read('error') };
}

/**
 * Follows a login at the real provider as a person, or cancels it, and returns the query with which the provider sends the
 * browser back.
 */
export async function logInAtProvider(authorizationUrl: string, person: string | null): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  const { origin } = url;
  while (url.origin === origin) {
    if (url.pathname.startsWith('/interaction/')) {
      url.search = person === null ? '?cancel=true' : `?person=${person}`;
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`The provider answered ${response.status}: ${(await response.text()).slice(-500)}`);
    url = new URL(location, url);
  }
  return url.search.slice(1);
}

/** Logs a person in at the provider and returns what the callback answers. */
export async function signOn(
  app: TestApp,
  person: string | null,
  { ability = 'tenant', browser = openBrowser(app) }: { ability?: 'tenant' | 'admin'; browser?: SignOnBrowser } = {},
): Promise<Answer> {
  const started = await browser.start({ ability });
  return browser.comeBack(await logInAtProvider(String(started.headers.location), person));
}

/** Logs a person in through the provider and returns the answer to the exchange of the code. */
export async function signOnForToken(
  app: TestApp,
  person: string,
  ability: 'tenant' | 'admin' = 'tenant',
  fields: object = {},
): Promise<Answer> {
  const browser = openBrowser(app);
  const answer = await signOn(app, person, { ability, browser });
  if (answer.status !== 303) return answer;
  return browser.exchange(arrivalOf(answer).code, fields);
}
