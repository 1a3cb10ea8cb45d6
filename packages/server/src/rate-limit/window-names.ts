/** The window name that counts all Integration requests of a tenant; the key is the tenant's id. */
export const integrationTenantWindow = 'integration-tenant';
/** The window name that counts the requests of an API key with its own limit; the key is the API key's id. */
export const integrationKeyWindow = 'integration-key';
/**
 * The window name that counts the requests of an API key with a limit per client address; the key is the API key's id
 * and the client's network (`clientNetwork`).
 */
export const integrationAddressWindow = 'integration-address';
