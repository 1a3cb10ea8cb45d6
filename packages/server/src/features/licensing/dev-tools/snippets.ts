/** What the snippets are filled with: the tenant's own, and nothing that is a secret. */
export interface SnippetSubject {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Null before there is a license. */
  readonly licenseId: string | null;
  /** A product's code; null before there is a product. */
  readonly product: string | null;
}

/** What a reader sets before running a snippet. Keys of both kinds open surfaces, so they stay out of the answer. */
export const snippetVariables = {
  LICENSING_API_KEY: 'An API key with the scope licenses:validate. It is shown once, when it is made.',
  LICENSE_KEY: 'The key of a license: `key` of the license whose id is license_id, if there is one.',
} as const;

/** Escapes a text for a double-quoted word of a shell, in which variables are filled in. */
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

/** A command for a POSIX shell that validates a license. */
export function curlSnippet(subject: SnippetSubject): string {
  return `# ${subjectLine(subject)}
curl -sS -X POST "${inDoubleQuotes(subject.baseUrl)}/api/v1/integration/licenses/$LICENSE_KEY/validate" \\
  -H "X-API-Key: $LICENSING_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${inSingleQuotes(JSON.stringify(bodyOf(subject)))}'
`;
}

/** A program without dependencies that validates a license and prints the verdict's code. */
export function typescriptSnippet(subject: SnippetSubject): string {
  return `// ${subjectLine(subject)}
// Save it as validate.mts and run it with Node 24 or newer: node validate.mts
const baseUrl = ${JSON.stringify(subject.baseUrl)};
const { LICENSING_API_KEY: apiKey = '', LICENSE_KEY: licenseKey = '' } = process.env;

interface Answer {
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
const { data, error, meta } = (await response.json()) as Answer;
if (data === undefined) {
  throw new Error(error?.code + ': ' + error?.message + ' (request ' + meta.request_id + ')');
}
console.log(data.valid, data.code, data.detail);
`;
}
