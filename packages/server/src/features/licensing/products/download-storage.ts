import { validationError } from '../../../lib/error.ts';
import { createAddressPolicy } from '../../../lib/public-addresses.ts';
import { checkPublicUrl } from '../../../lib/public-url.ts';
import type { Services } from '../../../services.ts';
import type { DownloadStorage, UpdateProduct } from './schemas.ts';

/** A storage as it is stored. */
interface StoredStorage extends DownloadStorage {
  readonly sealed_secret: string;
}

/** The access to a storage. */
export interface OpenStorage extends DownloadStorage {
  readonly secretAccessKey: string;
}

function parse(json: string): StoredStorage {
  return JSON.parse(json);
}

/** Returns a storage without its secret; null if the product has none. */
export function presentStorage(json: string | null): DownloadStorage | null {
  if (json === null) return null;
  const { sealed_secret: _secret, ...shown } = parse(json);
  return shown;
}

/** Returns a storage with its secret; null if the product has none. */
export function openStorage({ keyring }: Pick<Services, 'keyring'>, json: string | null): OpenStorage | null {
  if (json === null) return null;
  const { sealed_secret, ...shown } = parse(json);
  return { ...shown, secretAccessKey: keyring.open(sealed_secret) };
}

/**
 * Returns the storage to store after a change. The stored secret stays if the input has none. Throws 422 for an endpoint
 * that is not public, and for a secret that neither has.
 */
export function storageAfter(
  { config, keyring }: Pick<Services, 'config' | 'keyring'>,
  before: string | null,
  { download_storage: input }: UpdateProduct,
): string | null {
  if (input === undefined) return before;
  if (input === null) return null;
  const addresses = createAddressPolicy(config.webhookAllowedCidrs);
  const checked = checkPublicUrl(input.endpoint, { allowHttp: false, addresses });
  if ('problem' in checked) throw validationError({ field: 'download_storage.endpoint', message: checked.problem });
  const { secret_access_key: secret, ...shown } = input;
  if (secret === undefined && before === null) {
    throw validationError({ field: 'download_storage.secret_access_key', message: 'Enter the secret key.' });
  }
  const sealed_secret = secret === undefined ? parse(before ?? '{}').sealed_secret : keyring.seal(secret);
  const stored: StoredStorage = { ...shown, endpoint: new URL(checked.url).origin, sealed_secret };
  return JSON.stringify(stored);
}
