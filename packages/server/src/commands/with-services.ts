import { pino } from 'pino';
import type { OpenServices } from '../app.ts';
import { loadConfig } from '../config/config.ts';

/**
 * Opens the services for one command, and closes them after it succeeds or fails. Log lines go to standard error;
 * the default level is `warn` unless `LOG_LEVEL` is set.
 */
export async function withServices<Result>(
  env: NodeJS.ProcessEnv,
  work: (services: OpenServices) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig({ ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'warn' });
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const { openServices } = await import('../app.ts');
  const services = await openServices(config, { logger });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
