import { type DestinationStream, type Logger, pino } from 'pino';

/** Logs one finished request: its id, the status of its response, and its duration in milliseconds. */
export type RequestLog = (requestId: string, status: number, durationMs: number) => void;

const { chindingsSym, streamSym } = pino.symbols;

/** Returns the log of the requests of one route, which writes at level info. Request ids must need no escapes in JSON. */
export function requestLogOf(logger: Logger, route: { readonly method: string; readonly route: string }): RequestLog {
  if (!logger.isLevelEnabled('info')) return () => {};
  // pino looks every field up in four tables. This is the one line of every request, so it is written by hand, in pino's
  // form and to pino's destination.
  const ofRoute = logger.child(route);
  /** The fields of every line, in JSON, after a comma. */
  const fixed: string = Reflect.get(ofRoute, chindingsSym);
  const destination: DestinationStream = Reflect.get(ofRoute, streamSym);
  const level = logger.levels.values['info'];
  return (requestId, status, durationMs) => {
    destination.write(
      `{"level":${level},"time":${Date.now()}${fixed},"request_id":"${requestId}","status":${status},"duration_ms":${durationMs},"msg":"request finished"}\n`,
    );
  };
}
