import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { signOnClient } from './single-sign-on.ts';

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** The claims and the key with which an honest issuer would sign the ID token of a login. */
export interface HonestToken {
  readonly claims: JWTPayload;
  readonly key: SigningKey;
  readonly kid: string;
}

/** How an issuer behaves; whatever is absent is honest. */
export interface Misbehaviour {
  /** Returns the ID token. */
  readonly token?: (honest: HonestToken) => Promise<string> | string;
  /** Claims that replace the honest ones; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Parameters that replace those with which the browser returns; undefined removes one. */
  readonly returned?: Readonly<Record<string, string | undefined>>;
  /** The status and the body of the token endpoint. */
  readonly tokenAnswer?: { readonly status: number; readonly body: object };
}

/** A provider of OpenID Connect that signs whatever a test wants. */
export interface HostileIssuer {
  readonly issuer: string;
  /** Behaves so until it is called again. */
  behave(misbehaviour: Misbehaviour): void;
  /** Accepts the request of an authorization URL and returns the query with which the browser returns. */
  authorize(authorizationUrl: string): string;
  /** Replaces the signing key and its id. */
  rotateKeys(): Promise<void>;
  /** The parameters of the last request to the token endpoint. */
  readonly tokenRequest: URLSearchParams;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** Signs the ID token of an honest issuer. */
export function signHonestly({ claims, key, kid }: HonestToken): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
}

/** Starts an issuer on loopback. `Date` decides about its times, so that the clock of a suite controls them. */
export async function startHostileIssuer(): Promise<HostileIssuer> {
  let [pair, kid, version] = [await generateKeyPair('RS256'), 'key-1', 1];
  let misbehaviour: Misbehaviour = {};
  let tokenRequest = new URLSearchParams();
  const nonces = new Map<string, string>();
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300 };
    const person = { sub: 'person-1', email: 'ada@example.com', email_verified: true };
    const claims = { iss: issuer, aud: signOnClient.id, nonce, ...times, ...person, ...misbehaviour.claims };
    const honest = { claims: JSON.parse(JSON.stringify(claims)), key: pair.privateKey, kid };
    return misbehaviour.token === undefined ? signHonestly(honest) : misbehaviour.token(honest);
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const endpoint = (name: string) => `${issuer}/${name}`;
    switch (new URL(request.url ?? '/', issuer).pathname) {
      case '/.well-known/openid-configuration': {
        const endpoints = { authorization_endpoint: endpoint('authorize'), token_endpoint: endpoint('token') };
        const more = { jwks_uri: endpoint('jwks'), userinfo_endpoint: endpoint('userinfo') };
        const supported = { authorization_response_iss_parameter_supported: true };
        return { status: 200, body: { issuer, ...endpoints, ...more, ...supported } };
      }
      case '/jwks':
        return {
          status: 200,
          body: { keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' }] },
        };
      case '/userinfo':
        return { status: 200, body: { sub: 'person-1', ...misbehaviour.userInfo } };
      default: {
        tokenRequest = new URLSearchParams(await readBody(request));
        if (misbehaviour.tokenAnswer !== undefined) return misbehaviour.tokenAnswer;
        const id_token = await idToken(nonces.get(tokenRequest.get('code') ?? '') ?? '');
        return { status: 200, body: { access_token: 'opaque', token_type: 'Bearer', id_token } };
      }
    }
  }

  server.on('request', async (request, response) => {
    const { status, body } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return {
    issuer,
    behave: (next) => {
      misbehaviour = next;
    },
    authorize(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl);
      const code = `code-${nonces.size + 1}`;
      nonces.set(code, searchParams.get('nonce') ?? '');
      const honest = { code, state: searchParams.get('state') ?? '', iss: issuer };
      const returned = Object.entries({ ...honest, ...misbehaviour.returned });
      const query = new URLSearchParams();
      for (const [name, value] of returned) if (value !== undefined) query.set(name, value);
      return query.toString();
    },
    async rotateKeys() {
      version += 1;
      [pair, kid] = [await generateKeyPair('RS256'), `key-${version}`];
    },
    get tokenRequest() {
      return tokenRequest;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
