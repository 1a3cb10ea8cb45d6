/** Under this name the Integration requests of a tenant are counted, by the tenant's id. */
export const integrationTenantWindow = 'integration-tenant';
/** Under this name those with a key that has a ceiling of its own are counted, by the key's id. */
export const integrationKeyWindow = 'integration-key';
