/**
 * A bare Fastify route with the body and the response of `validate` and the service's serialiser: no hooks, no log. With
 * `reads` it makes two point reads before each response: the API key by its hash and the license by its key, each in
 * its own database over one pipelined connection, with statements prepared once: the maximum of `pg`. With
 * `commitsTo`, a file, it commits two small rows before each response and flushes them.
 */
import { DatabaseSync } from 'node:sqlite';
import { fastify } from 'fastify';
import { Client } from 'pg';
import { KeyParams } from '../../packages/server/src/features/licensing/licenses/schemas.ts';
import { ValidateLicense, Verdict } from '../../packages/server/src/features/licensing/validation/schemas.ts';
import { Envelope } from '../../packages/server/src/http/envelope.ts';
import { compileSerializer, serialisable } from '../../packages/server/src/http/serializer.ts';
import { newId } from '../../packages/server/src/lib/ids.ts';
import { readSetup } from '../processes.ts';

interface Setup {
  readonly answer: object;
  readonly commitsTo?: string;
  readonly reads?: { readonly platformUrl: string; readonly tenantUrl: string; readonly keyHash: string };
}

const path = '/api/v1/integration/licenses/:key/validate';
const schema = { params: KeyParams, body: ValidateLicense, response: { 200: serialisable(Envelope(Verdict)) } };
const apiKeyByHash = { name: 'api-key', text: 'select * from api_keys where key_hash = $1' };
const licenseByKey = { name: 'license', text: 'select * from licenses where key = $1 and deleted_at is null' };

const { answer, reads, commitsTo } = await readSetup<Setup>();
const app = fastify();
app.setSerializerCompiler(compileSerializer);
if (commitsTo !== undefined) {
  const database = new DatabaseSync(commitsTo);
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    create table bare_commits (id text primary key not null, body text not null)`);
  const insert = database.prepare('insert into bare_commits values (?, ?), (?, ?)');
  const body = 'x'.repeat(300);
  app.post(path, { schema }, () => {
    insert.run(newId(), body, newId(), body);
    return answer;
  });
} else if (reads === undefined) app.post(path, { schema }, () => answer);
else {
  const platform = new Client({ connectionString: reads.platformUrl, pipeline: true });
  const tenant = new Client({ connectionString: reads.tenantUrl, pipeline: true });
  await Promise.all([platform.connect(), tenant.connect()]);
  app.post<{ Params: { key: string } }>(path, { schema }, async (request) => {
    const apiKey = await platform.query({ ...apiKeyByHash, values: [reads.keyHash] });
    const license = await tenant.query({ ...licenseByKey, values: [request.params.key] });
    if (apiKey.rows.length !== 1 || license.rows.length !== 1) throw new Error('The query returned no row.');
    return answer;
  });
}
console.error(`Serving on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
