import { generateKeyPair, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import Provider from 'oidc-provider';

/** Returns a new signing key as a JWK with a `kid` of its own. */
async function newSigningKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}

function findAccountIn(people) {
  return (_context, id) => {
    const claims = people.get(id);
    return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) };
  };
}

/** Grants every client everything that it asks for, so that nobody is asked for consent. */
async function grantEverything(context) {
  const { client, provider, result, session } = context.oidc;
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  if (grantId) return provider.Grant.find(grantId);
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile');
  grant.addOIDCClaims(['email', 'email_verified', 'name', 'licensing_role']);
  await grant.save();
  return grant;
}

async function createProvider(issuer, { people, client }) {
  return new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: client.redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'licensing_role'] },
    jwks: { keys: [await newSigningKey()] },
    cookies: { keys: [randomUUID()] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: findAccountIn(people),
    loadExistingGrant: grantEverything,
  });
}

const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function choicePage(people) {
  const links = [...people].map(
    ([id, { email }]) => `<li><a href="?person=${encodeURIComponent(id)}">${escape(email ?? id)}</a></li>`,
  );
  return `<!doctype html><html lang="en"><title>Example ID</title><h1>Who are you?</h1>
    <ul>${links.join('')}</ul><a href="?cancel=true">Cancel</a></html>`;
}

/** Answers the page on which a person logs in: it needs no password. */
async function interact(provider, people, request, response) {
  const { searchParams } = new URL(request.url, 'http://127.0.0.1');
  const person = searchParams.get('person');
  if (searchParams.has('cancel')) {
    return provider.interactionFinished(request, response, { error: 'access_denied' });
  }
  if (person !== null) return provider.interactionFinished(request, response, { login: { accountId: person } });
  await provider.interactionDetails(request, response);
  return response.setHeader('content-type', 'text/html').end(choicePage(people));
}

/** Starts a provider of OpenID Connect on loopback. See `provider.d.mts`. */
export async function startOpenIdProvider({ port, client }) {
  const people = new Map();
  const server = createServer();
  const listen = () => new Promise((done) => server.listen(port, '127.0.0.1', done));
  await listen();
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let provider = await createProvider(issuer, { people, client });
  server.on('request', (request, response) => {
    if (!request.url.startsWith('/interaction/')) return provider.callback()(request, response);
    return interact(provider, people, request, response).catch((error) => {
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
      provider = await createProvider(issuer, { people, client });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
