import { sql } from 'kysely';
import { pino } from 'pino';
import { type OpenServices, openServices } from '../../src/app.ts';
import type { Config } from '../../src/config/config.ts';

/** A statement for the database of a tenant. The first message is the configuration. */
export interface OtherWrite {
  readonly tenantId: string;
  readonly statement: string;
}

let services: OpenServices | undefined;

async function receive(message: Config | OtherWrite): Promise<void> {
  if (!('statement' in message)) services = await openServices(message, { logger: pino({ level: 'silent' }) });
  else await services?.tenants.withTenantDb(message.tenantId, (db) => sql.raw(message.statement).execute(db.query));
  process.send?.('done');
}

process.on('message', (message: Config | OtherWrite) => void receive(message));
process.on('disconnect', () => void services?.close());
