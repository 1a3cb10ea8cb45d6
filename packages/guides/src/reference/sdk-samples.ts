import type { Operation } from './document.ts';

/** A call of an SDK: the client, the method, and where its arguments come from. */
interface Call {
  readonly client: 'LicensingClient' | 'ManagementClient';
  readonly method: string;
  /** The arguments that the path contains, as the sample writes them. */
  readonly pathArguments: readonly string[];
  /** The result is a list that the SDK reads page by page. */
  readonly isList: boolean;
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

const all = ['list', 'create', 'get', 'update', 'delete'] as const;
/** The resources of `ManagementClient` by their path, with the actions that they have. */
const resources: Readonly<Record<string, { readonly name: string; readonly actions: readonly string[] }>> = {
  products: { name: 'products', actions: all },
  policies: { name: 'policies', actions: all },
  entitlements: { name: 'entitlements', actions: all },
  activations: { name: 'activations', actions: ['list', 'get', 'delete'] },
  usage: { name: 'usage', actions: ['list'] },
  settings: { name: 'settings', actions: ['get', 'update'] },
  notifications: { name: 'notifications', actions: ['list', 'create'] },
  licenses: { name: 'licenses', actions: [...all, 'suspend', 'reinstate', 'revoke', 'renew', 'rotateKey'] },
  'api-keys': { name: 'apiKeys', actions: ['list', 'create', 'get', 'delete'] },
  webhooks: { name: 'webhooks', actions: [...all, 'test', 'rotateSecret', 'recover'] },
  'webhook-deliveries': { name: 'webhookDeliveries', actions: ['list', 'get', 'resend'] },
  'audit-logs': { name: 'auditLogs', actions: ['list'] },
};
const actionOfMethod: Readonly<Record<string, string>> = {
  get: 'get',
  put: 'update',
  delete: 'delete',
  post: 'create',
};

/** Returns the call of `ManagementClient` for an operation on a resource; undefined if it has none. */
function managementCall({ method, path }: Operation): Call | undefined {
  const [, segment = '', id, verb, rest] =
    /^\/api\/v1\/tenant\/([a-z-]+)(\/\{id\})?(?:\/([a-z-]+))?(\/.+)?$/.exec(path) ?? [];
  const resource = resources[segment];
  if (resource === undefined || rest !== undefined || (verb !== undefined && id === undefined)) return undefined;
  const isList = verb === undefined && id === undefined && method === 'get' && resource.actions.includes('list');
  const named = verb?.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const action = isList ? 'list' : (named ?? actionOfMethod[method] ?? '');
  if (!resource.actions.includes(action)) return undefined;
  return {
    client: 'ManagementClient',
    method: `${resource.name}.${action}`,
    pathArguments: id === undefined ? [] : ['id'],
    isList,
  };
}

function callOf(operation: Operation): Call | undefined {
  const [method, ...pathArguments] = integration[operation.id] ?? [];
  if (method === undefined) return managementCall(operation);
  return { client: 'LicensingClient', method, pathArguments, isList: false };
}

/** The body as the SDK takes it: a list instead of an object that only contains the list. */
function argumentOf({ id }: Operation, body: unknown): unknown {
  const lists: Readonly<Record<string, string>> = { checkEntitlements: 'entitlements', reportUsage: 'events' };
  const name = lists[id];
  return name === undefined ? body : (body as Readonly<Record<string, unknown>>)[name];
}

/** Fields have camelCase names in the TypeScript SDK; keys inside `metadata` are the caller's own. */
function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()),
      name === 'metadata' ? inner : camelCase(inner),
    ]),
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
  const expression = `${variable}.${call.method}(${[...call.pathArguments, ...given].join(', ')})`;
  const use = call.isList
    ? `for await (const item of ${expression}) console.log(item);`
    : `const result = await ${expression};`;
  return (
    `import { ${call.client} } from '@licensing/sdk';\n\n` +
    `const ${variable} = new ${call.client}({\n  baseUrl: '${baseUrl}',\n  ${option}: process.env['${environment}'] ?? '',\n});\n${use}\n`
  );
}

/** Returns the program that calls an operation through the Python SDK, which has the Integration API. */
export function pythonSdkSample(operation: Operation, baseUrl: string, body: unknown): string | undefined {
  const call = callOf(operation);
  if (call?.client !== 'LicensingClient') return undefined;
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const argument = argumentOf(operation, body);
  const given =
    argument === undefined
      ? []
      : Array.isArray(argument)
        ? [pythonLiteral(argument)]
        : Object.entries(argument as object).map(([name, value]) => `${name}=${pythonLiteral(value)}`);
  const parts = [...call.pathArguments.map(snake), ...given].map((part) => part.replaceAll('\n', '\n    '));
  const expression =
    parts.length <= 2 && parts.every((part) => !part.includes('\n'))
      ? `${snake(call.method)}(${parts.join(', ')})`
      : `${snake(call.method)}(\n    ${parts.join(',\n    ')},\n)`;
  return (
    'import os\n\nfrom licensing_sdk import LicensingClient\n\n' +
    `licensing = LicensingClient(base_url="${baseUrl}", api_key=os.environ["LICENSING_API_KEY"])\n` +
    `result = licensing.${expression}\n`
  );
}
