import { configurationError, given, LicensingError } from './error.ts';

const requestFormat = 'licensing-offline-request-v1';
const certificateFormat = 'licensing-offline-certificate-v1';

/** What a request file says of a device. */
export interface OfflineRequestOptions {
  /** The code of the product. */
  readonly product: string;
  /** Identifies the device, as in `activate`. */
  readonly fingerprint: string;
  /** The name of the device that people recognise. */
  readonly name?: string | null | undefined;
  readonly hostname?: string | null | undefined;
  readonly platform?: string | null | undefined;
  /** When the file is written. Default: now. */
  readonly now?: Date | undefined;
}

/** The content of a certificate file. */
export interface CertificateFile {
  /** The code of the product. */
  readonly product: string;
  readonly licenseKey: string;
  /** The offline certificate, which is not verified yet: `verifyCertificate`. */
  readonly certificate: string;
  /** When the certificate ends. */
  readonly expiresAt: string;
}

/**
 * Returns the text of a request file, with which the holder of a license activates a device without a network in the
 * vendor's portal. Throws `CONFIGURATION.INVALID` without a product or a fingerprint.
 */
export function offlineRequest(options: OfflineRequestOptions): string {
  const {
    product,
    fingerprint,
    now = new Date(),
    ...labels
  } = given(options, 'offlineRequest({ product, fingerprint })');
  for (const [option, value] of Object.entries({ product, fingerprint })) {
    if (typeof value !== 'string' || value === '') throw configurationError(`\`${option}\` must not be empty.`);
  }
  const { name = null, hostname = null, platform = null } = labels;
  const request = { format: requestFormat, product, fingerprint, name, hostname, platform };
  return `${JSON.stringify({ ...request, created_at: now.toISOString() }, null, 2)}\n`;
}

/**
 * Reads the text of a certificate file, which the portal returns for a request file. Throws `CERTIFICATE_FILE.INVALID` for
 * any other text. It does not verify the certificate.
 */
export function readCertificateFile(text: string): CertificateFile {
  const content = contentOf(text);
  const { format, product, license_key: licenseKey, certificate, expires_at: expiresAt } = content;
  const fields = [product, licenseKey, certificate, expiresAt];
  if (format !== certificateFormat || !fields.every((field) => typeof field === 'string' && field !== '')) {
    const message =
      format === requestFormat
        ? 'This is the request file. Upload it in the portal, and import the file that you download there.'
        : 'This is not a certificate file. Download it again from the portal, and import it unchanged.';
    throw new LicensingError({ code: 'CERTIFICATE_FILE.INVALID', message });
  }
  return { product, licenseKey, certificate, expiresAt } as CertificateFile;
}

function contentOf(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(String(text).replace(/^\uFEFF/, ''));
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Throws `CERTIFICATE_FILE.OTHER_LICENSE` unless the file is for a license key, as a person typed or pasted it. */
export function assertFileOf({ licenseKey }: CertificateFile, key: string): void {
  const essence = (text: string) => text.replace(/[\s\-–—_]/g, '').toUpperCase();
  if (essence(licenseKey) === essence(key)) return;
  const message =
    'This certificate file is for another license key. Enter that key, or download the file of this license.';
  throw new LicensingError({ code: 'CERTIFICATE_FILE.OTHER_LICENSE', message });
}
