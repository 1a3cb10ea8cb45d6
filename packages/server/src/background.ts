import { sweepHandoffs } from './features/audit/handoff.ts';
import type { Services } from './services.ts';

const sweepIntervalMs = 60_000;

/** Work that repairs what a crash or an outage left behind. */
export interface Background {
  /** Ends after the run in progress, if any. */
  stop(): Promise<void>;
}

/** Starts the background work: once now, then every minute. */
export function startBackground(services: Services): Background {
  let running: Promise<unknown> = Promise.resolve();
  const sweep = () => {
    running = sweepHandoffs(services).catch((error: unknown) => {
      services.logger.warn(
        { err: error },
        'waiting audit records could not be looked for; it is tried again in a minute',
      );
    });
  };
  sweep();
  const timer = setInterval(sweep, sweepIntervalMs);
  timer.unref();
  services.mail.start();
  return {
    async stop() {
      clearInterval(timer);
      await running;
      await services.mail.close();
    },
  };
}
