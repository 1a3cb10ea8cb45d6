import { camel, pythonLiteral, typescriptLiteral } from './literals.ts';
import { type Located, type PathPart, type Variable, writeMarks } from './variables.ts';

/** The request of an operation, as the samples without an SDK send it. */
export interface HttpRequest extends Located {
  readonly method: string;
  readonly baseUrl: string;
  /** The credential: header, prefix and the variable of the environment that contains it. */
  readonly credential: readonly [name: string, prefix: string, variable: string] | undefined;
  readonly mediaType: string | undefined;
  /** The file of a body that is not JSON. */
  readonly file: string | undefined;
  /** With marks for its variables. */
  readonly body: unknown;
}

const indent = (text: string, spaces = 2) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

/** Writes a path, with the value of each variable as `write` shows it. */
export function writePath(path: readonly PathPart[], write: (variable: Variable) => string): string {
  return path.map((part) => (typeof part === 'string' ? part : write(part))).join('');
}

/** The list that has the value of a variable: its method, its path, and where the value is in the answer. */
export function lookupOf({ source }: Variable) {
  if ('environment' in source) return undefined;
  const isPost = source.list.method === 'post';
  const isPaged = source.list.parameters.some(({ name }) => name === 'limit');
  // The one list that is a POST has its items in a field of the answer.
  const keys = ['data', ...(isPost ? ['activations'] : []), 0, source.field];
  return { isPost, path: source.path, query: isPaged && !isPost ? '?limit=1' : '', keys };
}

/** Returns the commands for curl: the requests that look up values, and then the request itself. */
export function curlSample(request: HttpRequest): string {
  const { method, baseUrl, credential, mediaType, body, file } = request;
  // A variable of the environment has its name there already.
  const nameOf = ({ name, source }: Variable) => ('environment' in source ? source.environment : name);
  const url = (path: readonly PathPart[], query = '') => {
    const text = baseUrl + writePath(path, (variable) => `$${nameOf(variable)}`) + query;
    return text.includes('$') ? `"${text}"` : `'${text}'`;
  };
  const header = credential ? [`-H "${credential[0]}: ${credential[1]}$${credential[2]}"`] : [];
  const lookups = request.variables.flatMap((variable) => {
    const found = lookupOf(variable);
    if (found === undefined) return [];
    const keys = found.keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    const data = found.isPost ? ["-H 'Content-Type: application/json'", "-d '{}'"] : [];
    const command = [`curl -sS ${url(found.path, found.query)}`, ...header, ...data].join(' \\\n  ');
    return [`${variable.name}=$(${command} |\n  jq -r '${keys}${found.keys.at(-1) === 'id' ? '' : ' | @uri'}')\n`];
  });
  const isShort = method === 'GET' || (method === 'POST' && body !== undefined);
  const parts = [`curl -sS${isShort ? '' : ` -X ${method}`} ${url(request.path)}`, ...header];
  if (body !== undefined) {
    const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
    parts.push("-H 'Content-Type: application/json'", `-d '${indent(writeMarks(json, (name) => `"'"$${name}"'"`))}'`);
  } else if (file !== undefined) parts.push(`-H 'Content-Type: ${mediaType}'`, `--data-binary @${file}`);
  return `${lookups.join('')}${parts.join(' \\\n  ')}\n`;
}

/** Returns the request as a program in TypeScript. */
export function typescriptHttpSample(request: HttpRequest): string {
  const { method, baseUrl, credential, mediaType, body, file } = request;
  const url = (path: readonly PathPart[], query = '') => {
    const text = baseUrl + writePath(path, ({ name }) => `\${${camel(name)}}`) + query;
    return text.includes('$') ? `\`${text}\`` : `'${text}'`;
  };
  const lines = [
    ...(file === undefined ? [] : ["import { readFile } from 'node:fs/promises';\n"]),
    ...(credential ? [typescriptHeaders(credential)] : []),
    ...request.variables.flatMap((variable) => typescriptLookup(variable, url, credential !== undefined)),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...requestHeaders(request, `...headers, 'Content-Type': '${mediaType}'`),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indent(typescriptBody(body))})`]),
    ...(file === undefined ? [] : [`body: await readFile('${file}')`]),
  ];
  const isShort = options.length < 3;
  const given = isShort ? `{ ${options.join(', ')} }` : `{\n  ${options.join(',\n  ')},\n}`;
  lines.push(`const response = await fetch(${url(request.path)}${options.length === 0 ? '' : `, ${given}`});\n`);
  return lines.join('\n');
}

function typescriptHeaders([name, prefix, variable]: readonly [string, string, string]): string {
  const value = prefix === '' ? `process.env.${variable} ?? ''` : `\`${prefix}\${process.env.${variable}}\``;
  return `const headers = { ${/^\w+$/.test(name) ? name : `'${name}'`}: ${value} };`;
}

/** The option with the headers: those of the credential, and of the body. */
function requestHeaders({ credential, mediaType }: HttpRequest, both: string): string[] {
  if (mediaType === undefined) return credential ? ['headers'] : [];
  return [`headers: { ${credential ? both : both.replace(/^\.\.\.headers, /, '')} }`];
}

/** A body with marks as a literal: `policyId`, and not `policyId: policyId`. */
export function typescriptBody(body: unknown): string {
  return writeMarks(typescriptLiteral(body), camel).replace(/\b(\w+): \1\b/g, '$1');
}

function typescriptLookup(
  variable: Variable,
  url: (path: readonly PathPart[], query?: string) => string,
  hasHeaders: boolean,
): string[] {
  const { name, source } = variable;
  if ('environment' in source) return [`const ${camel(name)} = process.env.${source.environment} ?? '';`];
  const found = lookupOf(variable);
  if (found === undefined) return [];
  const answer = `answerTo${name.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase())}`;
  const keys = found.keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return [
    `const ${answer} = await fetch(${url(found.path, found.query)}${hasHeaders ? ', { headers }' : ''});`,
    `const ${camel(name)} = (await ${answer}.json())${keys};`,
  ];
}

/** Returns the request as a program in Python. */
export function pythonHttpSample(request: HttpRequest): string {
  const { method, baseUrl, credential, mediaType, body, file } = request;
  const url = (path: readonly PathPart[], query = '') => {
    const text = baseUrl + writePath(path, ({ name }) => `{${name}}`) + query;
    return text.includes('{') ? `f"${text}"` : `"${text}"`;
  };
  const lookups = request.variables.map((variable) => {
    const { name, source } = variable;
    if ('environment' in source) return `${name} = os.environ["${source.environment}"]`;
    const found = lookupOf(variable);
    const keys = found?.keys.map((key) => JSON.stringify(key)).join('][');
    const list = `Request(${url(found?.path ?? [], found?.query)}${credential ? ', headers=headers' : ''})`;
    return `${name} = json.load(urlopen(${list}))[${keys}]`;
  });
  const headers = [...(credential ? ['**headers'] : []), ...(mediaType ? [`"Content-Type": "${mediaType}"`] : [])];
  const json = writeMarks(pythonLiteral(body), (name) => name);
  const call = [
    url(request.path),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(mediaType ? [`headers={${headers.join(', ')}}`] : credential ? ['headers=headers'] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${indent(json, 4)}).encode()`]),
    ...(file === undefined ? [] : [`data=open("${file}", "rb").read()`]),
  ];
  const usesJson = body !== undefined || lookups.some((line) => line.includes('json.'));
  const usesOs = credential !== undefined || lookups.some((line) => line.includes('os.'));
  return [
    ...(usesJson ? ['import json'] : []),
    ...(usesOs ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(credential ? [`headers = {"${credential[0]}": ${pythonCredential(credential)}}`] : []),
    ...lookups,
    call.length < 3 && !call.join('').includes('\n')
      ? `request = Request(${call.join(', ')})`
      : `request = Request(\n    ${call.join(',\n    ')},\n)`,
    'response = urlopen(request)',
    '',
  ].join('\n');
}

function pythonCredential([, prefix, variable]: readonly [string, string, string]): string {
  return prefix === '' ? `os.environ["${variable}"]` : `f"${prefix}{os.environ['${variable}']}"`;
}
