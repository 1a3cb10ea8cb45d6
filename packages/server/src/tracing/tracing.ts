import type { TraceContext } from './trace-context.ts';

/** The values of a span. Never secrets, license keys, URLs or client addresses. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** An operation of this service in a trace. */
export interface Span {
  /** The trace, and the id of this operation. */
  readonly context: TraceContext;
  /** Ends the operation. `name` replaces the one of the start, which may not have known the route yet. */
  end(result: { readonly name?: string; readonly attributes: SpanAttributes; readonly isFailure: boolean }): void;
}

/** A request to this service, background work, or a request of this service to another one. */
export type SpanKind = 'server' | 'internal' | 'client';

/** Sends spans to a collector. */
export interface Tracing {
  /** Starts an operation, in the trace of `parent` or in a new one. */
  start(name: string, kind: SpanKind, parent?: TraceContext): Span;
  /** Sends the spans that are not sent yet, for at most two seconds. */
  close(): Promise<void>;
}
