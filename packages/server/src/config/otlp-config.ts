import type { EnvironmentReader } from './environment-reader.ts';

/** The collector of traces. `headers` may contain secrets: never log it. */
export interface OtlpConfig {
  /** The base URL of OTLP over HTTP, without a trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the variables of OpenTelemetry; null without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export function readOtlp(reader: EnvironmentReader): OtlpConfig | null {
  const text = reader.text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = readHeaders(reader);
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    reader.problem(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be the http or https URL of a collector, like http://127.0.0.1:4318.',
    );
  }
  return { endpoint: text.replace(/(?<!\/)\/+$/, ''), headers };
}

/** The format of OpenTelemetry: `name=value` pairs with percent-encoded values. */
function readHeaders(reader: EnvironmentReader): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of reader.list('OTEL_EXPORTER_OTLP_HEADERS')) {
    const [, name = '', value = ''] = /^([\w-]+)=((?:[^%]|%[\da-f]{2})+)$/i.exec(pair) ?? [];
    if (name === '') reader.problem('OTEL_EXPORTER_OTLP_HEADERS must list headers like api-key=secret.');
    else headers[name] = decodeURIComponent(value);
  }
  return headers;
}
