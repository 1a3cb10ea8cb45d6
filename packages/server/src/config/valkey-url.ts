/** What is wrong with a URL of Valkey or Redis, as a sentence about `VALKEY_URL`; null: nothing. */
export function valkeyUrlProblem(text: string): string | null {
  const form = 'VALKEY_URL must look like redis://user:password@host:6379/0, or rediss:// for TLS';
  if (!URL.canParse(text)) return `${form} (special characters percent-encoded).`;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (!['redis:', 'rediss:'].includes(protocol) || hostname === '' || search !== '' || hash !== '') return `${form}.`;
  if (!/^\/?\d{0,4}$/.test(pathname)) return 'VALKEY_URL must end with the number of a database, like /0.';
  if (username !== '' && password === '') return 'VALKEY_URL names a user and no password: add it, or remove the user.';
  return [username, password].every(isDecodable) ? null : `${form} (special characters percent-encoded).`;
}

/** `host:port` of such a URL: what may be shown. */
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
