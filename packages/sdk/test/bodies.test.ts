import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { managementOperations, withoutManagement } from '../scripts/management-operations.ts';
import { LicensingClient, ManagementClient } from '../src/index.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly required?: boolean };
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } = JSON.parse(
  readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
);
const sent: { readonly path: string; readonly init: RequestInit }[] = [];
const baseUrl = 'https://licensing.example.com';
const fetch = async (url: string, init: RequestInit) => {
  sent.push({ path: decodeURIComponent(new URL(url).pathname), init });
  return Response.json({ data: { id: 'id' } });
};
const client = new LicensingClient({ baseUrl, apiKey: 'vx_1', fetch });
const management = new ManagementClient({ baseUrl, accessToken: 'service_1', fetch });

type Method = (...given: readonly unknown[]) => Promise<unknown> & { page?: () => Promise<unknown> };

/** Calls a method of the client with the placeholders of the operation's path, and a body if one is required. */
async function call(resource: string, name: string, { path, requestBody }: (typeof operations)[number]) {
  // Names come from the description of the client: the test fails for one that it has not.
  const methods = management[resource as keyof typeof management] as unknown as Readonly<Record<string, Method>>;
  const content = name.toLowerCase().endsWith('import') ? [''] : [{}];
  const placeholders = path.match(/\{\w+\}/g) ?? [];
  const result = methods[name]?.call(methods, ...placeholders, ...(requestBody?.required ? content : []));
  await (result?.page?.() ?? result);
}

const methods = Object.entries(managementOperations).flatMap(([resource, names]) =>
  Object.entries(names).map(([name, given]) => ({
    resource,
    name,
    operation: operations.find(
      ({ operationId }) => operationId === (typeof given === 'string' ? given : given.operation),
    ),
  })),
);

test.for(methods)(
  'management.$resource.$name sends its operation, with a body only if it needs one',
  async (method) => {
    const { resource, name, operation } = method;
    if (operation === undefined) throw new Error('openapi.json has no such operation.');
    sent.length = 0;
    await call(resource, name, operation);
    const [{ path = '', init = {} } = {}] = sent;
    expect(`${init.method} ${path}`).toBe(`${operation.method} ${operation.path}`);
    const takesEmpty = ['validate', 'issueCertificate', 'sendTestSale', 'rotate'].includes(name);
    expect(init.body !== undefined).toBe((operation.requestBody?.required ?? false) || takesEmpty);
  },
);

test('the client has no other methods', () => {
  const has = Object.entries(management).map(([resource, methods]) => [resource, publicMethods(methods)]);
  const described = Object.entries(managementOperations).map(([resource, names]) => [
    resource,
    Object.keys(names).toSorted(),
  ]);
  expect(Object.fromEntries(has)).toEqual(Object.fromEntries(described));
});

function publicMethods(resource: object): string[] {
  const names = new Set<string>();
  for (let one = resource; one !== Object.prototype; one = Object.getPrototypeOf(one))
    for (const name of Object.getOwnPropertyNames(one)) names.add(name);
  return [...names].filter((name) => !['constructor', 'endpoint'].includes(name)).toSorted();
}

test('every operation of the tenant API has a method, or is listed with the reason why it has none', () => {
  const covered = new Set(methods.map(({ operation }) => operation?.operationId));
  const missing = operations.filter(
    ({ path, operationId }) =>
      path.startsWith('/api/v1/tenant/') &&
      !covered.has(operationId) &&
      !Object.keys(withoutManagement).some((part) => `${path}/`.startsWith(`/api/v1/tenant/${part}/`)),
  );
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
});

test('the heartbeat and the release of a device are sent without a body, and without its type', async () => {
  sent.length = 0;
  await client.heartbeat('{key}', '{id}');
  await client.deactivate('{key}', '{id}');
  expect(sent.map(({ init }) => [init.body, Object.keys(init.headers ?? {}).includes('content-type')])).toEqual([
    [undefined, false],
    [undefined, false],
  ]);
});
