import { codeBlock, snippetGroup } from '../markdown/code-block.ts';
import { sampleBaseUrl } from '../markdown/highlight.ts';
import type { Snippet, Track } from '../snippets/snippet.ts';
import { type OpenApiDocument, type Operation, operationsOf } from './document.ts';
import { goHttpSample, goSdkSample } from './go-samples.ts';
import { curlSample, pythonHttpSample, typescriptHttpSample } from './http-samples.ts';
import { sampleOf } from './samples.ts';
import { pythonSdkSample, typescriptSdkSample } from './sdk-samples.ts';
import { locator, markedBody } from './variables.ts';

const languages: Readonly<Record<Track, string>> = { curl: 'sh', TypeScript: 'ts', Python: 'py', Go: 'go' };

const headerOf: Readonly<Record<string, readonly [name: string, value: string, variable: string]>> = {
  apiKey: ['X-API-Key', '', 'LICENSING_API_KEY'],
  bearer: ['Authorization', 'Bearer ', 'LICENSING_TOKEN'],
  holder: ['Authorization', 'Bearer ', 'HOLDER_TOKEN'],
  metricsToken: ['Authorization', 'Bearer ', 'METRICS_TOKEN'],
};

/** Returns an example of a request's body; undefined without a JSON body. */
export function requestSample(document: OpenApiDocument, { bodies }: Operation): unknown {
  const body = bodies.find(({ mediaType }) => mediaType === 'application/json');
  if (body?.schema === undefined) return undefined;
  return body.example ?? sampleOf(document, body.schema, { all: false });
}

/** Returns the samples of an operation by the language. */
export type SampleWriter = (operation: Operation, baseUrl?: string) => Readonly<Record<Track, string>>;

/** The file of a body that is not JSON. */
const files: Readonly<Record<string, string>> = { 'text/csv': 'licenses.csv', 'image/png': 'logo.png' };

/** Returns the function that writes the samples: through an SDK where it has a method for the operation. */
export function sampleWriter(document: OpenApiDocument): SampleWriter {
  const locate = locator(operationsOf(document));
  return (operation, baseUrl = sampleBaseUrl) => {
    const body = requestSample(document, operation);
    const located = locate(operation, body);
    const mediaType = operation.bodies[0]?.mediaType;
    const file = body === undefined && mediaType !== undefined ? (files[mediaType] ?? 'FILE') : undefined;
    const input = { ...located, baseUrl, body: markedBody(body, located.fields), file };
    const credential = headerOf[operation.credentials[0] ?? ''];
    const request = { ...input, method: operation.method.toUpperCase(), credential, mediaType };
    return {
      curl: curlSample(request),
      TypeScript: typescriptSdkSample(operation, input) ?? typescriptHttpSample(request),
      Python: pythonSdkSample(operation, input) ?? pythonHttpSample(request),
      Go: goSdkSample(operation, input) ?? goHttpSample(request),
    };
  };
}

function snippet(language: string, code: string, line: number): Snippet {
  return { language, action: null, isTab: true, file: null, exitCode: null, code, line };
}

/** Returns the request of an operation in each language. `position` distinguishes the operations of a page. */
export function requestExamples(samples: SampleWriter, operation: Operation, position: number): string {
  const code = samples(operation);
  return snippetGroup({
    tabs: Object.entries(languages).map(([track, language]) => ({
      track: track as Track,
      snippets: [snippet(language, code[track as Track], position)],
    })),
  });
}

/** Returns an example of a response, behind a click. */
export function responseExample(document: OpenApiDocument, { responses }: Operation): string {
  const success = responses.find(({ status }) => status.startsWith('2'));
  const body = success?.bodies.find(({ mediaType }) => mediaType === 'application/json');
  if (body?.schema === undefined) return '';
  const value = body.example ?? sampleOf(document, body.schema);
  const code = codeBlock({ ...snippet('json', JSON.stringify(value, null, 2), 0), action: 'output', isTab: false });
  return `<details><summary>Example of a response</summary>${code}</details>`;
}
