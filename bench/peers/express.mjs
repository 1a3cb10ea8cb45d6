// A hand-made gateway with Express: the hash of an API key and a license row, each looked up. It writes nothing.
import { createHash, randomBytes } from 'node:crypto';
import express from 'express';
import { createLicenses, openDatabase, readSetup, verdictOf } from './licenses.mjs';

const hashOf = (key) => createHash('sha256').update(key).digest('hex');

const setup = await readSetup();
const database = openDatabase(setup);
const findLicense = createLicenses(database, setup.tenants);
database.exec('create table api_keys (hash text primary key, tenant integer not null, scopes text not null)');
const keys = setup.tenants.map(() => `vx_${randomBytes(32).toString('hex')}`);
const insertKey = database.prepare("insert into api_keys values (?, ?, 'licenses:validate')");
for (const [tenant, key] of keys.entries()) insertKey.run(hashOf(key), tenant);
const findKey = database.prepare('select * from api_keys where hash = ?');

const app = express();
app.use(express.json());
app.get('/keys', (_request, response) => response.json(keys));
app.post('/api/v1/integration/licenses/:key/validate', (request, response) => {
  const key = findKey.get(hashOf(request.get('x-api-key') ?? ''));
  if (!key?.scopes.includes('licenses:validate')) return response.status(401).json({ error: 'Not a valid key.' });
  const license = findLicense(key.tenant, request.params.key);
  const verdict = verdictOf(setup.answer, license, request.body.product);
  if (verdict === undefined) return response.status(404).json({ error: 'There is no such license.' });
  return response.json(verdict);
});
const server = app.listen(0, '127.0.0.1', () => console.error(`Serving on http://127.0.0.1:${server.address().port}`));
