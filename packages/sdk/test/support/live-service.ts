import type { AddressInfo } from 'node:net';
import { beforeAll } from 'vitest';
import { type TenantSuite, useTenant } from '../../../server/test/support/accounts.ts';
import { defineEntitlements, newLicense } from '../../../server/test/support/licensing-catalog.ts';
import { LicensingClient, ManagementClient } from '../../src/index.ts';
import type { Fetch } from '../../src/request.ts';

/** The issuer of every certificate and verdict. */
export const issuer = 'https://licensing.example.com';

/** A real service with a tenant that listens on a port. The properties can be read only inside tests and hooks. */
export interface LiveService extends TenantSuite {
  readonly baseUrl: string;
  /** A client with the API key of the tenant. */
  client(fetch?: Fetch): LicensingClient;
  /** A client with the token of the tenant's owner. */
  management(fetch?: Fetch): ManagementClient;
  /** Creates an access token, and returns a client that uses it. */
  automation(role: 'admin' | 'viewer'): Promise<{
    readonly id: string;
    readonly token: string;
    readonly management: ManagementClient;
  }>;
  /** Creates a license of a new policy that grants `export` and ten `renders`. */
  license(
    policy?: object,
    fields?: object,
  ): Promise<{ readonly id: string; readonly key: string; readonly product: string }>;
}

/** Starts a service for the suite. */
export function useLiveService(env: NodeJS.ProcessEnv = {}): LiveService {
  const suite = useTenant({ PUBLIC_URL: issuer, ...env });
  let baseUrl = '';
  beforeAll(async () => {
    await suite.app.http.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(suite.app.http.server.address() as AddressInfo).port}`;
    await defineEntitlements(suite.tenant, { export: 'boolean', renders: 'metered' });
  });
  return {
    get app() {
      return suite.app;
    },
    get admin() {
      return suite.admin;
    },
    get tenant() {
      return suite.tenant;
    },
    newTenant: suite.newTenant,
    get baseUrl() {
      return baseUrl;
    },
    client: (fetch) => new LicensingClient({ baseUrl, apiKey: suite.tenant.apiKey, fetch }),
    management: (fetch) => new ManagementClient({ baseUrl, accessToken: suite.tenant.owner.token, fetch }),
    async automation(role) {
      const created = await suite.tenant.asOwner('POST', '/access-tokens', { name: `Shop (${role})`, role });
      const { id, token } = created.body.data;
      return { id, token, management: new ManagementClient({ baseUrl, accessToken: token }) };
    },
    async license(policy = {}, fields = {}) {
      const entitlements = [{ code: 'export' }, { code: 'renders', limit: 10, reset: 'none' }];
      const { id, key, product_id } = await newLicense(suite.tenant, { entitlements, ...policy }, fields);
      const product = await suite.tenant.asOwner('GET', `/products/${product_id}`);
      return { id, key, product: product.body.data.code };
    },
  };
}

/** Returns a `fetch` that loses the first response after the service acted. */
export function losingFirstResponse(): Fetch {
  let isFirst = true;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!isFirst) return response;
    isFirst = false;
    await response.body?.cancel();
    throw new TypeError('The connection was lost.');
  };
}
