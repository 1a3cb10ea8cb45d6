// The API keys of Better Auth on SQLite behind a bare Fastify route, as its documents recommend, and a license row.
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fastify } from 'fastify';
import { createLicenses, openDatabase, readSetup, verdictOf } from './licenses.mjs';

const setup = await readSetup();
const database = openDatabase(setup);
const options = {
  database,
  secret: 'a-secret-for-one-benchmark-0123456789',
  baseURL: 'http://127.0.0.1',
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  plugins: [apiKey()],
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);

/** Creates a user with a key that has a permission and a counted limit which no run reaches. */
async function createKey(tenant) {
  const person = { email: `owner-${tenant}@example.com`, password: 'a password for one benchmark', name: 'Owner' };
  const { user } = await auth.api.signUpEmail({ body: person });
  const limit = { rateLimitEnabled: true, rateLimitMax: 1_000_000_000, rateLimitTimeWindow: 60_000 };
  const body = { userId: user.id, name: 'Bench', permissions: { licenses: ['validate'] } };
  return (await auth.api.createApiKey({ body: { ...body, ...limit } })).key;
}

const keys = [];
for (const tenant of setup.tenants.keys()) keys.push(await createKey(tenant));
// The owner of a key is its tenant.
const tenantOfUser = new Map();
for (const [tenant, key] of keys.entries()) {
  const { key: found } = await auth.api.verifyApiKey({ body: { key } });
  tenantOfUser.set(found.referenceId, tenant);
}
const findLicense = createLicenses(database, setup.tenants);

const app = fastify();
app.get('/keys', () => keys);
app.post('/api/v1/integration/licenses/:key/validate', async (request, reply) => {
  const body = { key: request.headers['x-api-key'], permissions: { licenses: ['validate'] } };
  const { valid, key } = await auth.api.verifyApiKey({ body });
  if (!valid) return reply.code(401).send({ error: 'The API key is not valid.' });
  const license = findLicense(tenantOfUser.get(key.referenceId), request.params.key);
  const verdict = verdictOf(setup.answer, license, request.body.product);
  return verdict ?? reply.code(404).send({ error: 'There is no such license.' });
});
console.error(`Serving on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
