/**
 * The bare route of `floor.ts` with two point reads before each response: the API key by its hash and the license by
 * its key, each in its own database over one pipelined connection, with statements prepared once: the maximum of `pg`.
 */
import { fastify } from 'fastify';
import { Client } from 'pg';
import { readSetup } from '../processes.ts';
import { declaredSchemas, validatePath } from './validate-route.ts';

interface Setup {
  readonly answer: object;
  readonly platformUrl: string;
  readonly tenantUrl: string;
  readonly keyHash: string;
}

const { answer, platformUrl, tenantUrl, keyHash } = await readSetup<Setup>();
const platform = new Client({ connectionString: platformUrl, pipeline: true });
const tenant = new Client({ connectionString: tenantUrl, pipeline: true });
await Promise.all([platform.connect(), tenant.connect()]);

const apiKeyByHash = { name: 'api-key', text: 'select * from api_keys where key_hash = $1' };
const licenseByKey = { name: 'license', text: 'select * from licenses where key = $1 and deleted_at is null' };

const app = fastify();
app.post<{ Params: { key: string } }>(validatePath, { schema: declaredSchemas }, async (request) => {
  const apiKey = await platform.query({ ...apiKeyByHash, values: [keyHash] });
  const license = await tenant.query({ ...licenseByKey, values: [request.params.key] });
  if (apiKey.rows.length !== 1 || license.rows.length !== 1) throw new Error('The query returned no row.');
  return answer;
});
console.error(`Serving on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
