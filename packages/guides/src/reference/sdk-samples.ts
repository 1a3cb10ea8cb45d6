import { managementOperations } from '../../../sdk/scripts/management-operations.ts';
import type { Operation } from './document.ts';

/** A call of an SDK: the client, the method, and where its arguments come from. */
interface Call {
  readonly client: 'LicensingClient' | 'ManagementClient';
  readonly method: string;
  /** The arguments that the path contains, as the sample writes them. */
  readonly pathArguments: readonly string[];
  /** The result is a list that the SDK reads page by page. */
  readonly isList: boolean;
  /** The method takes a file instead of a body. */
  readonly takesFile: boolean;
}

const licenseKey = 'licenseKey';
/** The operations of the Integration API, which both SDKs have. */
const integration: Readonly<Record<string, readonly [method: string, ...pathArguments: string[]]>> = {
  validateLicense: ['validate', licenseKey],
  activateLicense: ['activate', licenseKey],
  heartbeatActivation: ['heartbeat', licenseKey, 'activationId'],
  deactivateActivation: ['deactivate', licenseKey, 'activationId'],
  listLicenseActivations: ['listActivations', licenseKey],
  checkEntitlements: ['checkEntitlements', licenseKey],
  reportUsage: ['reportUsage', licenseKey],
  issueCertificate: ['issueCertificate', licenseKey],
  getJwks: ['jwks', 'tenantId'],
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

const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/** Returns the call of `ManagementClient` for an operation; undefined if it has none. */
function managementCall({ id, path, parameters, bodies }: Operation): Call | undefined {
  const method = management.get(id);
  if (method === undefined) return undefined;
  return {
    client: 'ManagementClient',
    method,
    pathArguments: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => camel(name)),
    isList: parameters.some(({ name }) => name === 'cursor'),
    takesFile: bodies.some(({ mediaType }) => mediaType !== 'application/json'),
  };
}

function callOf(operation: Operation): Call | undefined {
  const [method, ...pathArguments] = integration[operation.id] ?? [];
  if (method === undefined) return managementCall(operation);
  return { client: 'LicensingClient', method, pathArguments, isList: false, takesFile: false };
}

/** The body as the SDK takes it: a list instead of an object that only contains the list, and without fixed fields. */
function argumentOf({ id }: Operation, body: unknown): unknown {
  const lists: Readonly<Record<string, string>> = { checkEntitlements: 'entitlements', reportUsage: 'events' };
  const name = lists[id];
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

/** JSON as an object literal of TypeScript. */
export function typescriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/"([A-Za-z_]\w*)":/g, '$1:');
}

/** JSON as a literal of Python. */
export function pythonLiteral(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replace(/(: |^ +)true\b/gm, '$1True')
    .replace(/(: |^ +)false\b/gm, '$1False')
    .replace(/(: |^ +)null\b/gm, '$1None');
}

const clients = {
  LicensingClient: { variable: 'licensing', option: 'apiKey', environment: 'LICENSING_API_KEY' },
  ManagementClient: { variable: 'management', option: 'accessToken', environment: 'LICENSING_TOKEN' },
} as const;

/** Returns the program that calls an operation through the TypeScript SDK; undefined if the SDK has no method for it. */
export function typescriptSdkSample(operation: Operation, baseUrl: string, body: unknown): string | undefined {
  const call = callOf(operation);
  if (call === undefined) return undefined;
  const { variable, option, environment } = clients[call.client];
  const given = body === undefined ? [] : [typescriptLiteral(camelCase(argumentOf(operation, body)))];
  const file = call.takesFile ? ['file'] : [];
  const expression = `${variable}.${call.method}(${[...call.pathArguments, ...file, ...given].join(', ')})`;
  const use = call.isList
    ? `for await (const item of ${expression}) console.log(item);`
    : `const result = await ${expression};`;
  return (
    `import { ${call.client} } from '@licensing/sdk';\n\n` +
    `const ${variable} = new ${call.client}({\n  baseUrl: '${baseUrl}',\n  ${option}: process.env['${environment}'] ?? '',\n});\n${use}\n`
  );
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The arguments of a call in Python: fields by their names for an application, one dictionary for a backend. */
function pythonArguments(operation: Operation, call: Call, body: unknown): string[] {
  const argument = argumentOf(operation, body);
  if (call.takesFile) return ['file'];
  if (argument === undefined) return [];
  if (Array.isArray(argument) || call.client === 'ManagementClient') return [pythonLiteral(argument)];
  return Object.entries(argument as object).map(([name, value]) => `${name}=${pythonLiteral(value)}`);
}

/** Returns the program that calls an operation through the Python SDK; undefined if the SDK has no method for it. */
export function pythonSdkSample(operation: Operation, baseUrl: string, body: unknown): string | undefined {
  const call = callOf(operation);
  if (call === undefined) return undefined;
  const { variable, option, environment } = clients[call.client];
  const given = pythonArguments(operation, call, body);
  const parts = [...call.pathArguments.map(snake), ...given].map((part) => part.replaceAll('\n', '\n    '));
  const method = snake(call.method).replace(/\.import$/, '.import_');
  const expression =
    parts.length <= 2 && parts.every((part) => !part.includes('\n'))
      ? `${variable}.${method}(${parts.join(', ')})`
      : `${variable}.${method}(\n    ${parts.join(',\n    ')},\n)`;
  const use = call.isList ? `for item in ${expression}:\n    print(item)` : `result = ${expression}`;
  return (
    `import os\n\nfrom licensing_sdk import ${call.client}\n\n` +
    `${variable} = ${call.client}(base_url="${baseUrl}", ${snake(option)}=os.environ["${environment}"])\n${use}\n`
  );
}
