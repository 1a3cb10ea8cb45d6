import { nowSeconds, type OfflineCase } from './tokens.ts';

const device = { product: 'editor', fingerprint: '5f8c1e0b7a2d4936' };
const request = {
  format: 'licensing-offline-request-v1',
  ...device,
  name: null,
  hostname: null,
  platform: null,
  created_at: { $matches: '^2026-05-28T20:26:40(\\.0+)?Z$' },
};
const content = {
  product: 'editor',
  license_key: 'PRO-FR718-6TX3B-NM7TR-TKVYT-KMPJT',
  certificate: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  expires_at: '2026-06-04T20:26:40.000000Z',
};
const certificateFile = { format: 'licensing-offline-certificate-v1', ...content };

/** Returns the cases of the files of an offline activation. */
export function offlineFileCases(): OfflineCase[] {
  const asked = (title: string, given: object, result: object): OfflineCase => {
    return {
      title,
      operation: 'offline_request',
      arguments: { ...device, now: nowSeconds, ...given },
      result: { ...request, ...result },
    };
  };
  const impossible = (title: string, given: object): OfflineCase => {
    const error = { code: 'CONFIGURATION.INVALID' };
    return { title, operation: 'offline_request', arguments: { ...device, now: nowSeconds, ...given }, error };
  };
  const reading = (file: string) => ({ operation: 'read_certificate_file', arguments: { file } });
  const read = (title: string, file: string): OfflineCase => ({ title, ...reading(file), result: content });
  const refused = (title: string, file: string): OfflineCase => {
    return { title, ...reading(file), error: { code: 'CERTIFICATE_FILE.INVALID' } };
  };
  const text = JSON.stringify(certificateFile);
  const without = (name: string) => JSON.stringify({ ...certificateFile, [name]: undefined });
  return [
    asked('a request file names the product and the device', {}, {}),
    asked(
      'a request file has the labels of the device',
      { name: 'Ada’s “laptop”', hostname: 'ada-laptop', platform: 'linux' },
      { name: 'Ada’s “laptop”', hostname: 'ada-laptop', platform: 'linux' },
    ),
    impossible('a request file needs a product', { product: '' }),
    impossible('a request file needs a fingerprint', { fingerprint: '' }),
    read('a certificate file is read', text),
    read('a certificate file may be indented', `${JSON.stringify(certificateFile, null, 2)}\n`),
    read('a certificate file may begin with a byte order mark', `\uFEFF${text}`),
    read('a certificate file may have fields of a later version', JSON.stringify({ ...certificateFile, later: [1] })),
    ...['format', 'product', 'license_key', 'certificate', 'expires_at'].map((name) =>
      refused(`a certificate file without ${name} is refused`, without(name)),
    ),
    refused('a field that is no text is refused', JSON.stringify({ ...certificateFile, certificate: 1 })),
    refused('an empty field is refused', JSON.stringify({ ...certificateFile, license_key: '' })),
    refused('a request file is refused', JSON.stringify({ ...request, created_at: '2026-05-28T20:26:40Z' })),
    refused('a bare certificate is refused', content.certificate),
    refused('an empty text is refused', ''),
    refused('a list is refused', '[]'),
    refused('null is refused', 'null'),
    refused('a later form is refused', text.replace('-v1', '-v2')),
  ];
}
