/** A failure with a known class. */
export class DeliveryError extends Error {
  readonly failure: FailureClass;

  constructor(failure: FailureClass, cause?: unknown) {
    super(failure, cause === undefined ? undefined : { cause });
    this.name = 'DeliveryError';
    this.failure = failure;
  }
}

/** Why a request received no valid response. Error statuses are recorded separately, as `status_404` and so on. */
export type FailureClass =
  | 'address_not_allowed'
  | 'cancelled'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_failed'
  | 'host_unreachable'
  | 'request_failed'
  | 'response_malformed'
  | 'secret_unreadable'
  | 'timeout'
  | 'tls_invalid'
  | 'url_invalid';

const classes: readonly (readonly [RegExp, FailureClass])[] = [
  [/^ERR_INVALID_URL$/, 'url_invalid'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED)$/, 'connection_reset'],
  [/^(ENOTFOUND|EAI_)/, 'dns_failed'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EINVAL|EACCES|EPERM)$/, 'host_unreachable'],
  [/^(ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout'],
  [/^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/, 'response_malformed'],
  [/^(EPROTO|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls_invalid'],
];

/** Returns the class of an error: a name that reveals neither addresses nor secrets. */
export function classifyFailure(error: unknown): FailureClass {
  if (error instanceof DeliveryError) return error.failure;
  const code = codeOf(error);
  const known = classes.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1];
  // Errors of undici's parser have no code.
  return error instanceof Error && error.name === 'HTTPParserError' ? 'response_malformed' : 'request_failed';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const code = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  // No address of several could be reached: the first error is used.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}
