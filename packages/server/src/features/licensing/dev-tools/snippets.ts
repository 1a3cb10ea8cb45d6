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

/** Returns a Python program without dependencies that validates a license and prints the verdict's code. */
export function pythonSnippet(subject: SnippetSubject): string {
  return `# ${subjectLine(subject)}
# Save it as validate.py and run it with Python 3.9 or newer: python3 validate.py
import json, os, urllib.error, urllib.parse, urllib.request

base_url = ${JSON.stringify(subject.baseUrl)}
license_key = urllib.parse.quote(os.environ["LICENSE_KEY"], safe="")
request = urllib.request.Request(
    base_url + "/api/v1/integration/licenses/" + license_key + "/validate",
    data=json.dumps(${JSON.stringify(bodyOf(subject))}).encode(),
    headers={"X-API-Key": os.environ["LICENSING_API_KEY"], "Content-Type": "application/json"},
)
try:
    with urllib.request.urlopen(request) as response:
        verdict = json.load(response)["data"]
except urllib.error.HTTPError as failure:
    answer = json.load(failure)
    error, request_id = answer["error"], answer["meta"]["request_id"]
    raise SystemExit(error["code"] + ": " + error["message"] + " (request " + request_id + ")")
print(verdict["valid"], verdict["code"], verdict["detail"])
`;
}
