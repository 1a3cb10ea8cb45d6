import type { OpenApiDocument } from './openapi-document.ts';

/** The codes that the Python SDK makes, and the reasons inside successful responses. */
const ofSdk = [
  ...['NETWORK.UNREACHABLE', 'NETWORK.TIMEOUT', 'RESPONSE.INVALID', 'CONFIGURATION.INVALID'],
  ...['FINGERPRINT.UNAVAILABLE', 'CERTIFICATE_FILE.INVALID', 'WEBHOOK.MALFORMED', 'WEBHOOK.SIGNATURE_INVALID'],
  ...['WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE', 'STORE.IN_USE', 'STORE.FOREIGN', 'STORE.UNREADABLE', 'RECORDER.FAILED'],
  ...['USAGE.BUFFER_FULL', 'USAGE.RECORDER_CLOSED', 'USAGE.OUT_OF_WINDOW', 'USAGE.TOTAL_TOO_LARGE'],
  ...['ENTITLEMENT.LIMIT_REACHED', 'ENTITLEMENT.EXPIRED'],
];

const refusals = [
  ...['MALFORMED', 'ALGORITHM_REFUSED', 'TYPE_REFUSED', 'KEY_UNKNOWN', 'SIGNATURE_INVALID', 'ISSUER_MISMATCH'],
  ...['AUDIENCE_MISMATCH', 'NOT_YET_VALID', 'EXPIRED', 'FINGERPRINT_MISMATCH', 'PRODUCT_MISMATCH'],
];
const ofProofs = [...refusals, 'MISSING', 'NONCE_MISMATCH', 'QUESTION_MISMATCH', 'VERDICT_MISMATCH'];

const literal = (name: string, codes: readonly string[], explanation: string) =>
  `${name} = Literal[\n${codes.map((code) => `    "${code}",\n`).join('')}]\n"""${explanation}"""\n`;

/** Returns the text of codes.py, the codes as literal types, for a document. */
export function generatePythonCodes({ components }: OpenApiDocument): string {
  const valuesOf = (name: string) => (components.schemas[name]?.enum ?? []).map(String);
  const sdk = [
    ...ofSdk,
    ...refusals.map((reason) => `CERTIFICATE.${reason}`),
    ...ofProofs.map((reason) => `PROOF.${reason}`),
  ];
  return [
    '# Generated from openapi.json by packages/sdk/scripts/generate-python-codes.ts. Do not edit.',
    '"""The codes of the service and of this package. The guide "Errors and verdicts" explains each."""\n',
    'from typing import Literal, Union\n',
    literal('VerdictCode', valuesOf('VerdictCode'), 'The reason for a verdict of the service.'),
    literal('ErrorCode', valuesOf('ErrorCode'), 'An error of the service.'),
    literal('SdkCode', sdk, 'A code that this package makes, or a reason inside a successful response.'),
    'Code = Union[VerdictCode, ErrorCode, SdkCode, str]',
    '"""Any code. Later versions of the service add some: accept unknown ones."""\n',
  ].join('\n');
}
