/** Returns a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the curl command that validates a license. The person replaces the placeholder of the API key. */
export function curlOf(origin: string, key: string, body: object): string {
  return [
    'curl -X POST \\',
    `  ${quoted(`${origin}/api/v1/integration/licenses/${key}/validate`)} \\`,
    `  -H 'X-API-Key: YOUR_API_KEY' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');
}
