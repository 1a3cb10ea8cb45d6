import type { ConnectionsTable } from '../../../db/tables/tenant/sales.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { shops } from '../shops/all.ts';
import { type ShopApi, ShopApiError, type ShopOffer } from '../shops/shop.ts';
import { readConnection } from './service.ts';

/** How long a request to a shop may take. */
const requestTimeoutMs = 15_000;

const defaultRetrySeconds = 30;

/** Opens the API of a connection's shop for `timeoutMs`; null without a key, or if the shop has no API. */
export function openShopApi(
  { clock, keyring, shopFetch }: Pick<Services, 'clock' | 'keyring' | 'shopFetch'>,
  { provider, sealed_api_key }: Pick<ConnectionsTable, 'provider' | 'sealed_api_key'>,
  signal?: AbortSignal,
  timeoutMs = requestTimeoutMs,
): ShopApi | null {
  const open = shops[provider]?.api ?? null;
  if (open === null || sealed_api_key === null) return null;
  const timeout = AbortSignal.timeout(timeoutMs);
  return open(keyring.open(sealed_api_key), {
    fetch: shopFetch,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    now: () => clock.now(),
  });
}

/** Returns what the shop of a connection sells. Throws 404, 422 without an API, and the errors of `asAppError`. */
export async function readCatalog(services: Services, { db }: Tenant, id: string): Promise<readonly ShopOffer[]> {
  const api = openShopApi(services, await readConnection(db, id));
  if (api === null) throw noApi();
  try {
    return await api.listOffers();
  } catch (error) {
    throw asAppError(error);
  }
}

/** Returns the error of a request that needs the shop's API. */
export function noApi(): AppError {
  return new AppError(
    'SALES.NO_API',
    "The connection has no key of the shop's API, or the shop has no API. Enter an API key in the connection.",
  );
}

/** Converts a failure of a shop's API: 422 `SALES.KEY_REFUSED` or 503 `SALES.SHOP_UNAVAILABLE`; others stay as they are. */
function asAppError(error: unknown): unknown {
  if (!(error instanceof ShopApiError)) return error;
  if (error.kind === 'refused') {
    const message = `The shop refused the API key: ${error.message} Enter a key with the permissions that the guide lists.`;
    return new AppError('SALES.KEY_REFUSED', message, { cause: error });
  }
  const seconds = Math.max(1, Math.ceil((error.retryAfterMs ?? defaultRetrySeconds * 1000) / 1000));
  const message = `The shop did not answer: ${error.message} Send the request again in ${seconds} seconds.`;
  return new AppError('SALES.SHOP_UNAVAILABLE', message, {
    headers: { 'retry-after': String(seconds) },
    cause: error,
  });
}
