import { managementOperations } from '../../../sdk/scripts/management-operations.ts';
import type { Operation } from './document.ts';
import { typescriptBody } from './http-samples.ts';
import { camel, pythonLiteral, snake } from './literals.ts';
import { type Located, type PathPart, type Variable, writeMarks } from './variables.ts';

/** A call of an SDK: the client, the method, and where its arguments come from. */
interface Call {
  readonly client: 'LicensingClient' | 'ManagementClient';
  readonly method: string;
  /** The result is a list that the SDK reads page by page. */
  readonly isList: boolean;
  /** The method takes a file instead of a body. */
  readonly takesFile: boolean;
}

/** The operations of the Integration API, which every SDK has. */
const integration: Readonly<Record<string, string>> = {
  validateLicense: 'validate',
  activateLicense: 'activate',
  heartbeatActivation: 'heartbeat',
  deactivateActivation: 'deactivate',
  listLicenseActivations: 'listActivations',
  checkEntitlements: 'checkEntitlements',
  reportUsage: 'reportUsage',
  issueCertificate: 'issueCertificate',
  startTrial: 'startTrial',
  confirmTrial: 'confirmTrial',
  findLatestRelease: 'latestRelease',
  downloadRelease: 'downloadRelease',
  getJwks: 'jwks',
};

/** The methods of `ManagementClient` by their operation: `listProducts` is `products.list`. */
const management: ReadonlyMap<string, string> = new Map(
  Object.entries(managementOperations).flatMap(([resource, methods]) =>
    Object.entries(methods)
      .map(([name, given]) => [typeof given === 'string' ? given : given.operation, `${resource}.${name}`] as const)
      // Of the methods of one operation, the first one is the sample.
      .toReversed(),
  ),
);

function callOf({ id, parameters, bodies }: Operation): Call | undefined {
  const ofApplication = integration[id];
  if (ofApplication !== undefined)
    return { client: 'LicensingClient', method: ofApplication, isList: false, takesFile: false };
  const method = management.get(id);
  if (method === undefined) return undefined;
  const isList = parameters.some(({ name }) => name === 'cursor');
  return {
    client: 'ManagementClient',
    method,
    isList,
    takesFile: bodies.some(({ mediaType }) => mediaType !== 'application/json'),
  };
}

/** The variables that the path contains: an SDK takes them before everything else. */
function argumentsOf(path: readonly PathPart[]): Variable[] {
  return path.filter((part) => typeof part !== 'string');
}

/** The body as the SDK takes it: the value of an object that only contains one, and without fixed fields. */
function argumentOf({ id }: Operation, body: unknown): unknown {
  const name = {
    checkEntitlements: 'entitlements',
    reportUsage: 'events',
    confirmTrial: 'code',
    downloadRelease: 'license_key',
  }[id];
  if (name !== undefined) return (body as Readonly<Record<string, unknown>>)[name];
  const isFixed = (field: string) => id === 'createBulkOperation' && field === 'dry_run';
  return typeof body === 'object' && body !== null
    ? Object.fromEntries(Object.entries(body).filter(([field]) => !isFixed(field)))
    : body;
}

/** Fields have camelCase names in the TypeScript SDK; keys inside `metadata` are the caller's own. */
function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [camel(name), name === 'metadata' ? inner : camelCase(inner)]),
  );
}

const clients = {
  LicensingClient: { variable: 'licensing', option: 'apiKey', environment: 'LICENSING_API_KEY' },
  ManagementClient: { variable: 'management', option: 'accessToken', environment: 'LICENSING_TOKEN' },
} as const;

/** What a sample needs besides its operation: `body` has marks for the variables. */
export interface SampleInput extends Located {
  readonly baseUrl: string;
  readonly body: unknown;
  readonly file: string | undefined;
}

/** Returns the program that calls an operation through the TypeScript SDK; undefined if the SDK has no method for it. */
export function typescriptSdkSample(operation: Operation, input: SampleInput): string | undefined {
  const call = callOf(operation);
  if (call === undefined) return undefined;
  const { baseUrl, body, file, path, variables } = input;
  const { variable, option, environment } = clients[call.client];
  const given = body === undefined ? [] : [typescriptBody(camelCase(argumentOf(operation, body)))];
  const positional = argumentsOf(path).map(({ name }) => camel(name));
  const fileArgument = call.takesFile ? [`await readFile('${file}')`] : [];
  const expression = `${variable}.${call.method}(${[...positional, ...fileArgument, ...given].join(', ')})`;
  const use = call.isList
    ? `for await (const item of ${expression}) console.log(item);`
    : `const result = await ${expression};`;
  const imported = call.takesFile ? `import { readFile } from 'node:fs/promises';\n` : '';
  return (
    `${imported}import { ${call.client} } from '@licensing/sdk';\n\n` +
    `const ${variable} = new ${call.client}({\n  baseUrl: '${baseUrl}',\n  ${option}: process.env['${environment}'] ?? '',\n});\n` +
    `${variables.map(typescriptLookup).join('')}${use}\n`
  );
}

function typescriptLookup({ name, source }: Variable): string {
  if ('environment' in source) return `const ${camel(name)} = process.env['${source.environment}'] ?? '';\n`;
  const call = callOf(source.list);
  if (call === undefined) throw new Error(`No SDK has a method for ${source.list.id}, from which ${name} comes.`);
  const { variable } = clients[call.client];
  const given = argumentsOf(source.path).map((part) => camel(part.name));
  const list = `await ${variable}.${call.method}(${[...given, ...(call.isList ? ['{ limit: 1 }'] : [])].join(', ')})`;
  const items = call.isList ? `(${list}.page()).data` : `(${list}).activations`;
  return `const ${camel(name)} = ${items}[0]?.${camel(source.field)} ?? '';\n`;
}

/** The arguments of a call in Python: fields by their names for an application, one dictionary for a backend. */
function pythonArguments(operation: Operation, call: Call, { body, file }: SampleInput): string[] {
  const argument = argumentOf(operation, body);
  if (call.takesFile) return [`open("${file}", "rb")`];
  if (argument === undefined) return [];
  const isOne = typeof argument !== 'object' || Array.isArray(argument) || call.client === 'ManagementClient';
  if (isOne) return [writeMarks(pythonLiteral(argument), (name) => name)];
  return Object.entries(argument as object).map(([name, value]) => `${name}=${pythonLiteral(value)}`);
}

/** Returns the program that calls an operation through the Python SDK; undefined if the SDK has no method for it. */
export function pythonSdkSample(operation: Operation, input: SampleInput): string | undefined {
  const call = callOf(operation);
  if (call === undefined) return undefined;
  const { variable, option, environment } = clients[call.client];
  const positional = argumentsOf(input.path).map(({ name }) => name);
  const parts = [...positional, ...pythonArguments(operation, call, input)].map((part) =>
    part.replaceAll('\n', '\n    '),
  );
  const method = snake(call.method).replace(/\.import$/, '.import_');
  const expression =
    parts.length <= 2 && parts.every((part) => !part.includes('\n'))
      ? `${variable}.${method}(${parts.join(', ')})`
      : `${variable}.${method}(\n    ${parts.join(',\n    ')},\n)`;
  const use = call.isList ? `for item in ${expression}:\n    print(item)` : `result = ${expression}`;
  return (
    `import os\n\nfrom licensing_sdk import ${call.client}\n\n` +
    `${variable} = ${call.client}(base_url="${input.baseUrl}", ${snake(option)}=os.environ["${environment}"])\n` +
    `${input.variables.map(pythonLookup).join('')}${use}\n`
  );
}

function pythonLookup({ name, source }: Variable): string {
  if ('environment' in source) return `${name} = os.environ["${source.environment}"]\n`;
  const call = callOf(source.list);
  if (call === undefined) throw new Error(`No SDK has a method for ${source.list.id}, from which ${name} comes.`);
  const given = argumentsOf(source.path).map((part) => part.name);
  const list = `${clients[call.client].variable}.${snake(call.method)}`;
  const items = call.isList
    ? `${list}(${[...given, 'limit=1'].join(', ')}).page().data`
    : `${list}(${given.join(', ')})["activations"]`;
  return `${name} = ${items}[0]["${source.field}"]\n`;
}
