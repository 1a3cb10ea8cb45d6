import { isLoopback } from '../lib/cidr.ts';

/** The mail server that mail is submitted to. Contains a password: never log it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * `implicit`: TLS from the first byte (RFC 8314). `starttls`: the connection is upgraded to TLS before login and
   * mail; without TLS nothing is sent. `none`: plain text.
   */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const example = 'smtp://user:password@host:587 or smtps://user:password@host:465 (special characters percent-encoded)';

/**
 * Parses `SMTP_URL`. TLS is required unless the server is on the loopback interface; `?tls=required` and `?tls=never`
 * override that. Returns the server, or a sentence about the problem that contains no secrets.
 */
export function parseSmtpUrl(text: string): SmtpServer | { readonly problem: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    return { problem: `SMTP_URL must look like ${example}.` };
  }
  if (!['', '/'].includes(url.pathname) || url.hash !== '') {
    return { problem: 'SMTP_URL must have neither a path nor a fragment: remove them.' };
  }
  const tlsMode = url.searchParams.get('tls');
  const isKnownQuery = [...url.searchParams.keys()].every((name) => name === 'tls');
  if (!isKnownQuery || (tlsMode !== null && tlsMode !== 'required' && tlsMode !== 'never')) {
    return { problem: 'SMTP_URL supports only the parameters tls=required and tls=never: remove the others.' };
  }
  return smtpServerOf(url, tlsMode);
}

function smtpServerOf(url: URL, tlsMode: 'required' | 'never' | null): SmtpServer | { readonly problem: string } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isImplicit = url.protocol === 'smtps:';
  if (isImplicit && tlsMode === 'never')
    return { problem: 'SMTP_URL with smtps:// cannot have tls=never: use smtp://.' };
  const isPlainText = !isImplicit && (tlsMode ?? (isLoopback(host) ? 'never' : 'required')) === 'never';
  const credentials = credentialsOf(url);
  if (credentials === undefined)
    return { problem: `SMTP_URL has a user without a password, or the reverse: use ${example}.` };
  if (isPlainText && credentials !== null && !isLoopback(host)) {
    return { problem: 'SMTP_URL would send the password unencrypted: remove tls=never, or the user and the password.' };
  }
  const port = url.port === '' ? (isImplicit ? 465 : 587) : Number(url.port);
  return { host, port, tls: isImplicit ? 'implicit' : isPlainText ? 'none' : 'starttls', credentials };
}

/** Returns undefined when the user or the password is missing or is not percent-encoded UTF-8. */
function credentialsOf(url: URL): SmtpServer['credentials'] | undefined {
  if (url.username === '' && url.password === '') return null;
  if (url.username === '' || url.password === '') return undefined;
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    return undefined;
  }
}

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
