// Why a PostgreSQL server cannot be used, and what the operator must do. "Try again" is only for transient reasons.
// Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html and those of Node's sockets and TLS.

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly severity: string;
}

interface Reason {
  readonly when: (failure: Failure) => boolean;
  readonly says: string;
}

const codeIs = (pattern: RegExp) => (failure: Failure) => pattern.test(failure.code);
const messageIs = (pattern: RegExp) => (failure: Failure) => pattern.test(failure.message);

/** The server or its certificate refuses this client, in ways that other errors of PostgreSQL do not have. */
const refusedLogins: readonly Reason[] = [
  {
    when: ({ code, severity }) => code === '42501' && severity === 'FATAL',
    says: 'does not admit the role of its URL: grant it CONNECT on the database',
  },
  {
    when: messageIs(/^The server does not support SSL/),
    says: 'does not offer TLS: enable TLS on the server, or remove sslmode from its URL',
  },
  {
    when: messageIs(/^SASL: .*client password must be/),
    says: 'requires a password: add it to its URL, after the user',
  },
  { when: messageIs(/^SASL:/), says: 'failed to prove its identity: check that its URL names the right server' },
  {
    when: codeIs(/CERT|^UNABLE_TO_|^ERR_TLS_/),
    says: 'has a certificate that this machine does not trust: add sslrootcert=FILE with its authority to its URL, and use the host name of the certificate',
  },
  { when: codeIs(/^(EPROTO|ERR_SSL_)/), says: 'does not speak TLS as expected: check sslmode in its URL and the port' },
];

const otherReasons: readonly Reason[] = [
  { when: codeIs(/^28P01$/), says: 'rejects the user or the password of its URL: correct them' },
  {
    when: messageIs(/(no pg_hba\.conf entry|pg_hba\.conf rejects).*(no encryption|SSL off)/),
    says: 'accepts no unencrypted connection of this role from this machine: add sslmode=verify-full to its URL, or allow it in pg_hba.conf',
  },
  {
    when: messageIs(/no pg_hba\.conf entry|pg_hba\.conf rejects/),
    says: 'accepts no connection of this role from this machine: allow it in pg_hba.conf',
  },
  {
    when: messageIs(/^role .* does not exist/),
    says: 'does not know the role of its URL: create the role, or correct the user',
  },
  {
    when: messageIs(/^role .* is not permitted to log in/),
    says: 'does not let the role of its URL log in: as a superuser, run ALTER ROLE … LOGIN',
  },
  {
    when: codeIs(/^28000$/),
    says: 'rejects the login of its URL: correct the user, or the authentication of the server',
  },
  {
    when: codeIs(/^3D000$/),
    says: 'does not exist on its server: create it with CREATE DATABASE, or correct the name in its URL',
  },
  {
    when: codeIs(/^ECONNREFUSED$/),
    says: 'refuses connections: start PostgreSQL there, or correct the host and port of its URL',
  },
  {
    when: codeIs(/^(ENOTFOUND|EAI_NONAME)$/),
    says: 'has a host name that cannot be resolved: correct the host of its URL',
  },
  {
    when: codeIs(/^EAI_AGAIN$/),
    says: 'has a host name that no name server resolves now: check the host and the name server, and try again',
  },
  {
    when: codeIs(/^E(HOST|NET)UNREACH$|^EHOSTDOWN$|^ETIMEDOUT$/),
    says: 'cannot be reached over the network: check the host and port of its URL, the route and the firewall',
  },
  {
    when: messageIs(/^timeout e/),
    says: 'did not accept a connection in time: check the host and port of its URL and the firewall, and try again',
  },
  {
    when: codeIs(/^53300$/),
    says: 'has no free connection: raise max_connections, or lower TENANT_CONNECTIONS_PER_SERVER, and try again',
  },
  { when: codeIs(/^53100$/), says: 'has a full disk: free space on its server' },
  { when: codeIs(/^57P03$/), says: 'is starting, stopping or recovering: try again' },
  { when: codeIs(/^25006$/), says: 'is read-only: set its URL to the primary server' },
];

/** Reads the fields of an error of `pg` or of Node's sockets. */
function failureOf(error: unknown): Failure {
  const field = (name: string): string => {
    const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return { code: field('code'), message: field('message'), severity: field('severity') };
}

/** Returns true if the server refuses the login or TLS, and PostgreSQL has no error class of its own for the reason. */
export function isRefusedLogin(error: unknown): boolean {
  const failure = failureOf(error);
  return refusedLogins.some(({ when }) => when(failure));
}

/**
 * Returns why a PostgreSQL database cannot be used and what to do, as the end of a sentence about it. Unknown reasons
 * count as transient.
 */
export function postgresReason(error: unknown): string {
  const failure = failureOf(error);
  return [...refusedLogins, ...otherReasons].find(({ when }) => when(failure))?.says ?? 'did not respond: try again';
}
