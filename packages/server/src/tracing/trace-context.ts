import { randomBytes } from 'node:crypto';

/** The place of a request in a trace, as a caller or this service states it (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the caller's operation, or this service's. */
  readonly spanId: string;
  /** Two hexadecimal digits; the last bit says that the trace is recorded. */
  readonly flags: string;
}

const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Parses a `traceparent` header. Returns undefined for a malformed one, which the standard says to ignore. A later
 * version of the standard may append fields.
 */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, flags, further] = pattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return version === '00' && further !== undefined ? undefined : { traceId, spanId, flags };
}

/** Returns the `traceparent` header of a trace context. */
export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** Returns the context of an operation of this service that belongs to the trace of its caller. */
export function continueTrace({ traceId, flags }: TraceContext): TraceContext {
  return { traceId, spanId: randomBytes(8).toString('hex'), flags };
}
