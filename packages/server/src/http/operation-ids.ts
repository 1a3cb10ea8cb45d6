import type { FastifyInstance } from 'fastify';

/** Makes the start fail if a documented route has no operation id, or that of another route. */
export function requireOperationIds(app: FastifyInstance): void {
  const routes = new Map<string, string>();
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema === undefined || schema.hide || method === 'HEAD') return;
    const { operationId = '' } = schema;
    const title = `${method} ${url}`;
    if (!/^[a-z]+(?:[A-Z][a-z0-9]*)*$/.test(operationId)) {
      throw new Error(`${title}: declare an operationId in camel case, such as listLicenses, in the route's schema.`);
    }
    const other = routes.get(operationId);
    if (other !== undefined) throw new Error(`${title}: ${other} has the operationId ${operationId} too.`);
    routes.set(operationId, title);
  });
}

/**
 * Returns the operation id of a tenant's route on the admin surface: `adminSuspendTenantLicense` for `suspendLicense`.
 * Throws for an id that does not begin with a verb.
 */
export function adminOperationId(operationId: string): string {
  const [, initial, verb, noun] = /^([a-z])([a-z]*)([A-Z]\w*)$/.exec(operationId) ?? [];
  if (initial === undefined) {
    throw new Error(`The operationId ${operationId} must consist of a verb and a noun, such as suspendLicense.`);
  }
  return `admin${initial.toUpperCase()}${verb}Tenant${noun}`;
}
