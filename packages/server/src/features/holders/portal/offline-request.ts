import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../../lib/error.ts';
import { DeviceComponents } from '../../licensing/activations/schemas.ts';

/** The first field of a request file, which names its form. */
const requestFormat = 'licensing-offline-request-v1';
/** The first field of a certificate file. */
export const certificateFormat = 'licensing-offline-certificate-v1';

const Label = Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()]));

/** A request file: what an application without a network asks for. Later versions may add fields. */
const OfflineRequest = Type.Object({
  format: Type.Literal(requestFormat),
  product: Type.String({ minLength: 1, maxLength: 64 }),
  fingerprint: Type.String({ minLength: 1, maxLength: 255 }),
  components: Type.Optional(DeviceComponents),
  name: Label,
  hostname: Label,
  platform: Label,
});
export type OfflineRequest = Static<typeof OfflineRequest>;

/**
 * Reads a request file for a license of a product. Throws 422 `OFFLINE_REQUEST.INVALID` for any other text, and 422
 * `OFFLINE_REQUEST.OTHER_PRODUCT`.
 */
export function readOfflineRequest(
  text: string,
  product: { readonly code: string; readonly name: string },
): OfflineRequest {
  const value = parsed(text);
  if (!Value.Check(OfflineRequest, value) || /\p{Cc}/u.test(value.fingerprint)) {
    const message =
      value !== undefined && isCertificate(value)
        ? 'This is a certificate file, which the application imports. Upload the request file of the application here.'
        : 'This is not a request file. Create it again in the application, and upload or paste it unchanged.';
    throw new AppError('OFFLINE_REQUEST.INVALID', message);
  }
  if (value.product !== product.code) {
    const message =
      `This request file is of the product “${value.product}”, and this license is for ${product.name} ` +
      `(“${product.code}”). Choose the license of that product.`;
    throw new AppError('OFFLINE_REQUEST.OTHER_PRODUCT', message);
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function isCertificate(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === certificateFormat;
}
