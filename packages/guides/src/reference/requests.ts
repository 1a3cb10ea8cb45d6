import { codeBlock, snippetGroup } from '../markdown/code-block.ts';
import { sampleBaseUrl } from '../markdown/highlight.ts';
import type { Snippet, Track } from '../snippets/snippet.ts';
import type { OpenApiDocument, Operation } from './document.ts';
import { sampleOf } from './samples.ts';
import { pythonLiteral, pythonSdkSample, typescriptLiteral, typescriptSdkSample } from './sdk-samples.ts';

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

interface Request {
  readonly method: string;
  readonly url: string;
  /** The credential: header, prefix and the variable that contains it. */
  readonly credential: readonly [string, string, string] | undefined;
  readonly mediaType: string | undefined;
  readonly body: unknown;
}

function requestOf(document: OpenApiDocument, operation: Operation): Request {
  const [scheme = ''] = operation.credentials;
  return {
    method: operation.method.toUpperCase(),
    url: sampleBaseUrl + operation.path,
    credential: headerOf[scheme],
    mediaType: operation.bodies[0]?.mediaType,
    body: requestSample(document, operation),
  };
}

function curl({ method, url, credential, mediaType, body }: Request): string {
  const parts = [`curl -sS${method === 'GET' || body !== undefined ? '' : ` -X ${method}`} '${url}'`];
  if (body !== undefined && method !== 'POST') parts[0] = `curl -sS -X ${method} '${url}'`;
  if (credential) parts.push(`-H "${credential[0]}: ${credential[1]}$${credential[2]}"`);
  if (body !== undefined) {
    parts.push(
      "-H 'Content-Type: application/json'",
      `-d '${indent(JSON.stringify(body, null, 2).replaceAll("'", "'\\''"))}'`,
    );
  } else if (mediaType !== undefined) parts.push(`-H 'Content-Type: ${mediaType}'`, '--data-binary @FILE');
  return `${parts.join(' \\\n  ')}\n`;
}

function typescript({ method, url, credential, mediaType, body }: Request): string {
  const headers = [
    ...(credential ? [credentialLine(credential)] : []),
    ...(mediaType ? [`    'Content-Type': '${mediaType}',`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body === undefined
      ? mediaType
        ? ['  body: file,']
        : []
      : [`  body: JSON.stringify(${indent(typescriptLiteral(body))}),`]),
  ];
  const call = options.length === 0 ? `fetch('${url}')` : `fetch('${url}', {\n${options.join('\n')}\n})`;
  return `const response = await ${call};\n`;
}

function credentialLine([name, prefix, variable]: readonly [string, string, string]): string {
  const value = prefix === '' ? `process.env.${variable}` : `\`${prefix}\${process.env.${variable}}\``;
  return `    ${/^\w+$/.test(name) ? name : `'${name}'`}: ${value},`;
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function python({ method, url, credential, mediaType, body }: Request): string {
  const headers = [
    ...(credential ? [`        "${credential[0]}": ${pythonCredential(credential)},`] : []),
    ...(mediaType ? [`        "Content-Type": "${mediaType}",`] : []),
  ];
  const isJson = body !== undefined;
  const imports = [...(isJson ? ['import json'] : []), ...(credential ? ['import os'] : [])];
  return [
    ...imports,
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    "${url}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length > 0 ? ['    headers={', ...headers, '    },'] : []),
    ...(isJson ? [`    data=json.dumps(${pythonLiteral(body).replaceAll('\n', '\n    ')}).encode(),`] : []),
    ...(!isJson && mediaType ? ['    data=file,'] : []),
    ')',
    'response = urlopen(request)',
    '',
  ].join('\n');
}

function pythonCredential([, prefix, variable]: readonly [string, string, string]): string {
  return prefix === '' ? `os.environ["${variable}"]` : `f"${prefix}{os.environ['${variable}']}"`;
}

function snippet(language: string, code: string, line: number): Snippet {
  return { language, action: null, isTab: true, file: null, exitCode: null, code, line };
}

/** Returns the request of an operation in three languages: through an SDK where it has a method for it. `position` distinguishes the operations of a page. */
export function requestExamples(document: OpenApiDocument, operation: Operation, position: number): string {
  const request = requestOf(document, operation);
  const tab = (track: Track, language: string, code: string) => ({
    track,
    snippets: [snippet(language, code, position)],
  });
  return snippetGroup({
    tabs: [
      tab('curl', 'sh', curl(request)),
      tab('TypeScript', 'ts', typescriptSdkSample(operation, sampleBaseUrl, request.body) ?? typescript(request)),
      tab('Python', 'py', pythonSdkSample(operation, sampleBaseUrl, request.body) ?? python(request)),
    ],
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
