import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach } from 'vitest';
import { type CallerLimits, createHttpServer } from '../../src/http/server.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';

/** Creates servers without routes, and connections to them. They are closed after each test. */
export function useBareServers() {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  return {
    create(callerLimits: Partial<CallerLimits> = {}): FastifyInstance {
      const logger = pino({ level: 'silent' });
      const app = createHttpServer({ logger, metrics: createMetrics(), trustProxy: false, https: false, callerLimits });
      closers.push(() => app.close());
      return app;
    },
    /** The server must listen. */
    connectTo(app: FastifyInstance): Socket {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
      closers.unshift(() => socket.destroy());
      return socket;
    },
  };
}
