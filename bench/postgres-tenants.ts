import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { OpenServices } from '../packages/server/src/app.ts';
import { scramVerifier } from '../packages/server/src/db/postgres/scram.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import type { Applicant } from './site.ts';

/**
 * Creates `count` copies of a tenant without the service: copies its database, and its rows of the platform. No session
 * may be connected to that database meanwhile.
 */
export async function copyApplicant(
  { platform, keyring, clock }: OpenServices,
  serverUrl: string,
  original: Applicant,
  count: number,
): Promise<Applicant[]> {
  const tenants = platform.query.selectFrom('tenants').selectAll().where('id', '=', original.tenantId);
  const keys = platform.query.selectFrom('api_keys').selectAll().where('tenant_id', '=', original.tenantId);
  const [tenant, key] = [await tenants.executeTakeFirstOrThrow(), await keys.executeTakeFirstOrThrow()];
  const template = tenant.database_name ?? '';
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  const copies: Applicant[] = [];
  for (let index = 0; index < count; index += 1) {
    const tenantId = newId();
    const apiKey = `vx_${randomBytes(32).toString('hex')}`;
    const login = { databaseName: `tenant_${tenantId.replaceAll('-', '')}`, password: randomBytes(16).toString('hex') };
    await copyDatabase(admin, serverUrl, { template, tenantId, login });
    const row = { id: tenantId, database_name: login.databaseName, database_secret: keyring.seal(login.password) };
    await platform.query
      .insertInto('tenants')
      .values({ ...tenant, ...row, created_at: clock.now() })
      .execute();
    await platform.query
      .insertInto('api_keys')
      .values({ ...key, id: newId(), tenant_id: tenantId, key_hash: keyring.hash(apiKey) })
      .execute();
    copies.push({ ...original, tenantId, apiKey });
  }
  await admin.query(`alter database ${template} owner to ${template}`);
  await admin.end();
  return copies;
}

interface Copy {
  readonly template: string;
  readonly tenantId: string;
  readonly login: { readonly databaseName: string; readonly password: string };
}

async function copyDatabase(admin: Client, serverUrl: string, { template, tenantId, login }: Copy): Promise<void> {
  const { databaseName: name, password } = login;
  await admin.query(`create role ${name} login password '${scramVerifier(password)}'`);
  await admin.query(`create database ${name} owner ${name} template ${template}`);
  await admin.query(`revoke all on database ${name} from public`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const copy = new Client({ connectionString: url.href });
  await copy.connect();
  // Before the change: the triggers have the rights of their owner, who must own the database.
  await copy.query(`reassign owned by ${template} to ${name}`);
  await copy.query(`update tenant_identity set tenant_id = '${tenantId}'`);
  await copy.end();
}
