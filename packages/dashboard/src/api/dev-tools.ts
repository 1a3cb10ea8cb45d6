import createClient, { type Middleware } from 'openapi-fetch';
import { dataOf } from './body.ts';
import { onSurface } from './endpoints.ts';
import { problemOf, unreachable } from './problem.ts';
import type { components, paths } from './schema.gen.ts';

/** What a developer needs for an integration. */
export type DeveloperSnapshot = components['schemas']['DeveloperSnapshot'];

/** Reads the snapshot for developers; failed requests appear by themselves. */
export const snapshotQuery = onSurface.one('/api/v1/tenant/dev-tools/snapshot', ['dev-tools'], {
  refetchInterval: 10_000,
});

/** The answer to a validation. */
export type Verdict = components['schemas']['Verdict'];

const failures: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    throw problemOf(response, body);
  },
  onError({ error }) {
    throw unreachable(error);
  },
};

/** The device on which a license is tried. */
interface TriedDevice {
  readonly fingerprint: string;
  readonly name: string;
}

/**
 * Activates a device of a license and validates the license on it, as a vendor's application does: with an API key and
 * without the session. Repeating it uses no other device.
 */
export async function validateOnDevice(
  apiKey: string,
  licenseKey: string,
  product: string,
  device: TriedDevice,
): Promise<Verdict> {
  const client = createClient<paths>({ baseUrl: window.location.origin, headers: { 'X-API-Key': apiKey } });
  client.use(failures);
  const params = { path: { key: licenseKey } };
  await dataOf(client.POST('/api/v1/integration/licenses/{key}/activations', { params, body: device }));
  const body = { product, fingerprint: device.fingerprint };
  return await dataOf(client.POST('/api/v1/integration/licenses/{key}/validate', { params, body }));
}
