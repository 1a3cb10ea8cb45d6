/** What a request file of an application without a network says about its device. */
interface OfflineRequest {
  readonly fingerprint: string;
  readonly name: string;
}

/**
 * Reads the text of a request file. The SDKs write the format, and the portal reads it too. For any other text, and for a
 * file of another product, returns a sentence that names the fault.
 */
export function readRequestFile(text: string, product: { readonly code: string }): OfflineRequest | string {
  const { format, fingerprint, name, product: code } = contentOf(text);
  if (format !== 'licensing-offline-request-v1' || typeof fingerprint !== 'string' || fingerprint === '') {
    return 'This is not a request file. Create it again in the application, and choose it unchanged.';
  }
  if (code !== product.code) {
    return `This request file is of the product “${code}”, and this license is for “${product.code}”.`;
  }
  return { fingerprint, name: typeof name === 'string' ? name : '' };
}

function contentOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

interface CertificateFields {
  readonly product: string;
  readonly license_key: string;
  readonly certificate: string;
  readonly expires_at: string;
}

/** Returns the text of a certificate file, as the portal returns it and the SDKs import it. */
export function certificateFile(fields: CertificateFields): string {
  return `${JSON.stringify({ format: 'licensing-offline-certificate-v1', ...fields }, null, 2)}\n`;
}
