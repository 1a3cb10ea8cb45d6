import { serviceVersion } from '../../../version.ts';

/** The tenant's values in the snippets. None of them is secret. */
export interface SnippetSubject {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null while the tenant has no license. */
  readonly licenseId: string | null;
  /** The code of a product; null while the tenant has no product. */
  readonly product: string | null;
  readonly tenantId: string;
  /** The public keys that verify what the service signs for the tenant. */
  readonly jwks: { readonly keys: readonly object[] };
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

/** Returns a TypeScript program that validates a license with the SDK, verifies the answer and prints the verdict. */
export function typescriptSnippet(subject: SnippetSubject): string {
  const address = shellWord(`${subject.baseUrl}/docs/downloads/licensing-sdk.tgz`);
  return `// ${subjectLine(subject)}
// Save it as validate.mts, install the SDK, and run it with Node 24 or newer:
//   npm install ${address}
//   node validate.mts
import { LicensingClient, verifyVerdict } from '@licensing/sdk';

const baseUrl = ${JSON.stringify(subject.baseUrl)};
const { LICENSING_API_KEY: apiKey = '', LICENSE_KEY: licenseKey = '' } = process.env;
// ${keyLine}
const jwks = ${jsonOf(subject.jwks)};

const client = new LicensingClient({ baseUrl, apiKey });
const nonce = crypto.randomUUID();
const question = ${JSON.stringify(bodyOf(subject))};
const answer = await client.validate(licenseKey, { ...question, nonce, proof: true });
const expected = { jwks, issuer: baseUrl, audience: ${JSON.stringify(subject.tenantId)} };
const verdict = await verifyVerdict(answer, { ...question, licenseKey, nonce, ...expected });
console.log(verdict.valid, verdict.code, verdict.detail);
`;
}

/** Returns a Python program that validates a license with the SDK, verifies the answer and prints the verdict. */
export function pythonSnippet(subject: SnippetSubject): string {
  const { baseUrl, product } = subject;
  const address = shellWord(`${baseUrl}/docs/downloads/licensing_sdk-${serviceVersion}-py3-none-any.whl`);
  const question = product === null ? '' : `, product=${JSON.stringify(product)}`;
  return `# ${subjectLine(subject)}
# Save it as validate.py, install the SDK for Python 3.9 or newer, and run it:
#   python3 -m venv .venv && .venv/bin/pip install ${address}
#   .venv/bin/python validate.py
import os
import secrets

from licensing_sdk import LicensingClient, LicensingError, verify_verdict

base_url = ${JSON.stringify(baseUrl)}
license_key = os.environ["LICENSE_KEY"]
# ${keyLine}
jwks = ${jsonOf(subject.jwks)}

client = LicensingClient(base_url=base_url, api_key=os.environ["LICENSING_API_KEY"])
nonce = secrets.token_hex(16)
try:
    answer = client.validate(license_key${question}, nonce=nonce, proof=True)
except LicensingError as error:
    raise SystemExit(str(error))
expected = {"jwks": jwks, "issuer": base_url, "audience": ${JSON.stringify(subject.tenantId)}}
verdict = verify_verdict(answer${question}, license_key=license_key, nonce=nonce, **expected)
print(verdict["valid"], verdict["code"], verdict["detail"])
`;
}

const keyLine =
  'The public key of your tenant. It shows that an answer is one of your service. Ship it in your application.';

/** Returns JSON in the form that people write, which is also a literal of Python: a key set has texts only. */
function jsonOf(value: object): string {
  return JSON.stringify(value, null, 2);
}

/** Returns a text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w.:/@%+-]+$/.test(text) ? text : `'${inSingleQuotes(text)}'`;
}
