import { setTimeout as delay } from 'node:timers/promises';
import { type Context, SpanKind as OfApi, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { OtlpConfig } from '../config/otlp-config.ts';
import { fullVersion } from '../version.ts';
import type { TraceContext } from './trace-context.ts';
import type { Span, Tracing } from './tracing.ts';

/** A slow collector delays neither requests nor the stop of the process; spans that do not fit are dropped. */
const sendWithinMs = 5_000;
const closeWithinMs = 2_000;

const kinds = { server: OfApi.SERVER, internal: OfApi.INTERNAL, client: OfApi.CLIENT } as const;

/** Logs the first of consecutive failures to send spans. */
function reporting(exporter: SpanExporter, logger: Pick<Logger, 'warn'>): SpanExporter {
  let isFailing = false;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error !== undefined && !isFailing) logger.warn({ err: error }, 'sending traces failed; they are dropped');
        isFailing = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function contextOf(parent: TraceContext | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Creates the connection to a collector. The caller's decision to record a trace is followed; new ones are recorded. */
export function createTracing({ endpoint, headers }: OtlpConfig, logger: Pick<Logger, 'warn'>): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: sendWithinMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'licensing', 'service.version': fullVersion }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reporting(exporter, logger), scheduledDelayMillis: 1_000 })],
  });
  const tracer = provider.getTracer('licensing', fullVersion);
  return {
    start(name, kind, parent): Span {
      const span = tracer.startSpan(name, { kind: kinds[kind] }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        context: { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') },
        end({ name: finalName, attributes, isFailure }) {
          if (finalName !== undefined) span.updateName(finalName);
          for (const [key, value] of Object.entries(attributes)) if (value !== undefined) span.setAttribute(key, value);
          if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async close() {
      // A failure was logged by `reporting`.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, delay(closeWithinMs, undefined, { ref: false })]);
    },
  };
}
