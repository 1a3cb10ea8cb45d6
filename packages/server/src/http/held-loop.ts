import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** A node that executes nothing else for this long says so. */
const heldMs = 1000;
const tickMs = 100;

/** Where the watch learns what the event loop executes. */
export interface HeldLoopWatch {
  /** Call when the work of a request begins: when it arrived, and when its body did. */
  begin(request: FastifyRequest): void;
  /** Call when the response of a request was sent. */
  end(request: FastifyRequest): void;
}

interface HeldLoopOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly countHold: (route: string) => void;
}

/** The route of a hold that no request can be named for. */
const unknownRoute = 'unknown';

/**
 * Logs and counts each time for which nothing but one piece of work was executed for a second, with the route of the
 * request. A timer and the beginnings and ends of requests note that the event loop still runs. If nothing was noted
 * for a second, then the request was at work that was noted last; if that was the timer, the request whose response was sent
 * next, or else the request that began last, while it has no response. Otherwise the route is unknown: for example, background
 * work held the event loop. A request costs two readings of the clock.
 */
export function watchHeldLoop(app: FastifyInstance, { logger, countHold }: HeldLoopOptions): HeldLoopWatch {
  let notedAtMs = performance.now();
  let cpu = process.threadCpuUsage();
  /** The request that began last, until its response was sent. */
  let begun: FastifyRequest | undefined;
  /** True if the last note was the beginning of `begun`. */
  let isBegunNow = false;

  function note(ended?: FastifyRequest): void {
    const nowMs = performance.now();
    const ms = nowMs - notedAtMs;
    notedAtMs = nowMs;
    if (ms < heldMs) return;
    const holder = isBegunNow ? begun : (ended ?? begun);
    const route = holder === undefined ? unknownRoute : (holder.routeOptions.url ?? 'unmatched');
    const { user, system } = process.threadCpuUsage(cpu);
    countHold(route);
    logger.warn(
      {
        held_ms: Math.round(ms),
        cpu_ms: Math.round((user + system) / 1000),
        route,
        method: holder?.method,
        request_id: holder?.id,
      },
      'the event loop was held: this node executed nothing else meanwhile',
    );
  }

  const timer = setInterval(() => {
    note();
    isBegunNow = false;
    cpu = process.threadCpuUsage();
  }, tickMs).unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
  return {
    begin(request) {
      note();
      begun = request;
      isBegunNow = true;
    },
    end(request) {
      note(request);
      isBegunNow = false;
      if (begun === request) begun = undefined;
    },
  };
}
