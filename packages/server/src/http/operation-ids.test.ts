import { fastify, type RouteOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { adminOperationId, requireOperationIds } from './operation-ids.ts';

const handler = () => ({});
const route = (url: string, schema: object): RouteOptions => ({ method: 'GET', url, schema, handler });

async function startWith(...routes: RouteOptions[]): Promise<void> {
  const app = fastify();
  requireOperationIds(app);
  for (const one of routes) app.route(one);
  await app.ready();
  await app.close();
}

describe('operation ids', () => {
  it.each([undefined, '', 'GetThing', 'get_thing', 'get-thing', 'getHTTP thing'])(
    'a documented route with the operation id %s prevents the start',
    async (operationId) => {
      await expect(startWith(route('/things', { operationId }))).rejects.toThrow(
        'GET /things: declare an operationId in camel case, such as listLicenses',
      );
    },
  );

  it('two routes with one operation id prevent the start', async () => {
    const schema = { operationId: 'getThing' };
    await expect(startWith(route('/one', schema), route('/two', schema))).rejects.toThrow(
      'GET /two: GET /one has the operationId getThing too.',
    );
  });

  it('a hidden route and a route without a schema need no operation id', async () => {
    await startWith(route('/page', { hide: true }), { method: 'GET', url: '/file', handler });
  });

  it.each([
    ['listLicenses', 'adminListTenantLicenses'],
    ['suspendLicense', 'adminSuspendTenantLicense'],
    ['createApiKey', 'adminCreateTenantApiKey'],
  ])('the operation %s is %s on the admin surface', (own, admin) => expect(adminOperationId(own)).toBe(admin));

  it('an operation id without a noun has no name on the admin surface', () => {
    expect(() => adminOperationId('list')).toThrow('The operationId list must consist of a verb and a noun');
  });
});
