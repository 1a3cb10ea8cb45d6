/// <reference path="./oidc-provider.d.ts" />
import { generateKeyPair, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import Provider, { type Context, type Grant } from 'oidc-provider';

/** The claims that a provider sends about a person. */
export interface PersonClaims {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
  readonly licensing_role?: unknown;
}

/** A real provider of OpenID Connect on loopback. Nobody needs a password there. */
export interface OpenIdProvider {
  /** Its URL, without a slash at the end. */
  readonly issuer: string;
  /** Adds a person and returns the id, which is the `sub` of the person's tokens. */
  addPerson(claims: PersonClaims): string;
  /** Replaces the signing key. Logins in progress are lost. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

interface ProviderOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly client: { readonly id: string; readonly secret: string; readonly redirectUris: readonly string[] };
}

type People = Map<string, PersonClaims>;

async function newSigningKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}

/** Grants every client all requested scopes, so that no consent page appears. */
async function grantEverything({ oidc }: Context): Promise<Grant> {
  const { client, provider, result, session } = oidc;
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  if (grantId !== undefined) return provider.Grant.find(grantId);
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

async function createProvider(issuer: string, people: People, { client }: ProviderOptions): Promise<Provider> {
  return new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: client.redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'licensing_role'] },
    jwks: { keys: [await newSigningKey()] },
    cookies: { keys: [randomUUID()] },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount(_context, id) {
      const claims = people.get(id);
      return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) };
    },
    loadExistingGrant: grantEverything,
  });
}

function choicePage(people: People): string {
  const links = [...people].map(([id, { email = id }]) => `<li><a href="?person=${id}">${email}</a></li>`);
  return `<!doctype html><html lang="en"><title>Example ID</title><h1>Who are you?</h1>
    <ul>${links.join('')}</ul><a href="?cancel=true">Cancel</a></html>`;
}

/** Answers the page on which a person logs in: by opening it with `?person=<id>`, or `?cancel=true`. */
async function interact(
  provider: Provider,
  people: People,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
  const accountId = searchParams.get('person');
  if (searchParams.has('cancel')) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
  } else if (accountId !== null) {
    await provider.interactionFinished(request, response, { login: { accountId } });
  } else {
    await provider.interactionDetails(request, response);
    response.setHeader('content-type', 'text/html').end(choicePage(people));
  }
}

/** Starts a provider, the package oidc-provider with its storage in memory. */
export async function startOpenIdProvider(options: ProviderOptions): Promise<OpenIdProvider> {
  const people: People = new Map();
  const server = createServer();
  await new Promise<void>((done) => server.listen(options.port, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let provider = await createProvider(issuer, people, options);
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response);
    interact(provider, people, request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  return {
    issuer,
    addPerson(claims) {
      const id = randomUUID();
      people.set(id, claims);
      return id;
    },
    async rotateKeys() {
      provider = await createProvider(issuer, people, options);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
