import { type DestinationStream, type Logger, pino } from 'pino';
import type { Caller, Refusal } from './caller.ts';

/**
 * A finished request. None of its texts needs an escape in JSON: methods, patterns of routes, ids, codes, addresses and
 * hexadecimals.
 */
export interface FinishedRequest {
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly caller: Pick<Caller, 'record' | 'credentialId' | 'trace' | 'code' | 'licenseId' | 'refusal'>;
  /** The address of the client; null: the operator keeps no addresses in the log. */
  readonly address: string | null;
}

function refused({ reason, tenantId, credentialId }: Refusal): string {
  const known = credentialId === undefined ? '' : `,"tenant_id":"${tenantId}","credential_id":"${credentialId}"`;
  return `,"reason":"${reason}"${known}`;
}

/**
 * Returns what logs a finished request at level info. Its line is written by hand, in pino's form and to pino's
 * destination: pino looks up each field in several tables, and this line is a tenth of the cost of a validation.
 */
export function createRequestLog(logger: Logger): (request: FinishedRequest) => void {
  if (!logger.isLevelEnabled('info')) return () => {};
  /** The fields of every line, after a comma: process and host. */
  const shared: string = Reflect.get(logger, pino.symbols.chindingsSym);
  const destination: DestinationStream = Reflect.get(logger, pino.symbols.streamSym);
  const level = logger.levels.values['info'];
  return ({ id, method, route, status, durationMs, address, caller }) => {
    const { record, credentialId, trace, code, licenseId, refusal } = caller;
    let line = `{"level":${level},"time":${Date.now()}${shared},"method":"${method}","route":"${route}",`;
    line += `"request_id":"${id}","status":${status},"duration_ms":${durationMs}`;
    if (record !== undefined) line += `,"tenant_id":"${record.id}"`;
    if (credentialId !== undefined) line += `,"credential_id":"${credentialId}"`;
    if (code !== undefined) line += `,"code":"${code}"`;
    if (licenseId !== undefined) line += `,"license_id":"${licenseId}"`;
    if (refusal !== undefined) line += refused(refusal);
    if (address !== null) line += `,"address":"${address}"`;
    if (trace !== undefined) line += `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`;
    destination.write(`${line},"msg":"request finished"}\n`);
  };
}
