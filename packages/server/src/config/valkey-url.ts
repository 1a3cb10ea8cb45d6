/** Returns a sentence about the problem of `VALKEY_URL`, without secrets, or null when the URL is valid. */
export function valkeyUrlProblem(text: string): string | null {
  const form = 'VALKEY_URL must look like redis://user:password@host:6379/0, or rediss:// for TLS';
  if (!URL.canParse(text)) return `${form} (special characters percent-encoded).`;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (!['redis:', 'rediss:'].includes(protocol) || hostname === '' || search !== '' || hash !== '') return `${form}.`;
  if (!/^\/?\d{0,4}$/.test(pathname)) return 'VALKEY_URL must end with the number of a database, such as /0.';
  if (username !== '' && password === '')
    return 'VALKEY_URL contains a user but no password: add the password, or remove the user.';
  return [username, password].every(isDecodable) ? null : `${form} (special characters percent-encoded).`;
}

/** Returns the `host:port` of a valid Valkey URL: the part without secrets, for messages and logs. */
export function serverOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || '6379'}`;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
