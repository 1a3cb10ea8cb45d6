/** Under this name the Integration requests of a tenant are counted, by the tenant's id. */
export const integrationTenantWindow = 'integration-tenant';
