import { serviceVersion } from '../../../version.ts';

/** The tenant's values in the snippets. None of them is secret. */
export interface SnippetSubject {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null while the tenant has no license. */
  readonly licenseId: string | null;
  /** The code of a product; null while the tenant has no product. */
  readonly product: string | null;
}

/**
 * The environment variables of the snippets, with a description for the reader. API keys and license keys grant
 * access, so the response does not contain them.
 */
export const snippetVariables = {
  LICENSING_API_KEY: 'An API key with the scope licenses:validate. It is shown only once, when it is created.',
  LICENSE_KEY: 'The key of a license: `key` of the license whose id is license_id, if there is one.',
} as const;

/** Escapes text for a double-quoted shell word, in which variables are expanded. */
function inDoubleQuotes(text: string): string {
  return text.replace(/[\\$`"]/g, '\\$&');
}

function inSingleQuotes(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

function bodyOf({ product }: SnippetSubject): object {
  return product === null ? {} : { product };
}

function subjectLine({ licenseId, product }: SnippetSubject): string {
  if (licenseId === null) return 'Validates a license. Issue one first, and set LICENSE_KEY to its key.';
  return `Validates the license ${licenseId} of the product ${product}: set LICENSE_KEY to its key.`;
}

/** Returns a command for a POSIX shell that validates a license. */
export function curlSnippet(subject: SnippetSubject): string {
  return `# ${subjectLine(subject)}
curl -sS -X POST "${inDoubleQuotes(subject.baseUrl)}/api/v1/integration/licenses/$LICENSE_KEY/validate" \\
  -H "X-API-Key: $LICENSING_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${inSingleQuotes(JSON.stringify(bodyOf(subject)))}'
`;
}

/** Returns a TypeScript program without dependencies that validates a license and prints the verdict's code. */
export function typescriptSnippet(subject: SnippetSubject): string {
  return `// ${subjectLine(subject)}
// Save it as validate.mts and run it with Node 24 or newer: node validate.mts
const baseUrl = ${JSON.stringify(subject.baseUrl)};
const { LICENSING_API_KEY: apiKey = '', LICENSE_KEY: licenseKey = '' } = process.env;

interface ApiResponse {
  data?: { valid: boolean; code: string; detail: string };
  error?: { code: string; message: string };
  meta: { request_id: string };
}

const url = baseUrl + '/api/v1/integration/licenses/' + encodeURIComponent(licenseKey) + '/validate';
const response = await fetch(url, {
  method: 'POST',
  headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(bodyOf(subject))}),
});
const { data, error, meta } = (await response.json()) as ApiResponse;
if (data === undefined) {
  throw new Error(error?.code + ': ' + error?.message + ' (request ' + meta.request_id + ')');
}
console.log(data.valid, data.code, data.detail);
`;
}

/** Returns a Python program that validates a license with the SDK, which the service itself serves, and prints the verdict. */
export function pythonSnippet(subject: SnippetSubject): string {
  const { baseUrl, product } = subject;
  const address = shellWord(`${baseUrl}/docs/downloads/licensing_sdk-${serviceVersion}-py3-none-any.whl`);
  const question = product === null ? '' : `, product=${JSON.stringify(product)}`;
  return `# ${subjectLine(subject)}
# Save it as validate.py, install the SDK for Python 3.9 or newer, and run it:
#   python3 -m venv .venv && .venv/bin/pip install ${address}
#   .venv/bin/python validate.py
import os

from licensing_sdk import LicensingClient, LicensingError

client = LicensingClient(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["LICENSING_API_KEY"])
try:
    verdict = client.validate(os.environ["LICENSE_KEY"]${question})
except LicensingError as error:
    raise SystemExit(str(error))
print(verdict["valid"], verdict["code"], verdict["detail"])
`;
}

/** Returns a text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w.:/@%+-]+$/.test(text) ? text : `'${inSingleQuotes(text)}'`;
}
