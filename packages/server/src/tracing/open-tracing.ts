import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Tracing } from './tracing.ts';

/** Opens the connection to the collector of the configuration; null without one. Loads the library only then. */
export async function openTracing({ otlp }: Config, logger: Pick<Logger, 'warn'>): Promise<Tracing | null> {
  if (otlp === null) return null;
  const { createTracing } = await import('./opentelemetry.ts');
  return createTracing(otlp, logger);
}
