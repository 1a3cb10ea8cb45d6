import { isLoopback } from '../lib/loopback.ts';
import type { EnvironmentReader } from './environment-reader.ts';

/** The provider of OpenID Connect with which people log in. Contains a secret: never log it. */
export interface OidcConfig {
  /** The provider's identifier, to which `/.well-known/openid-configuration` is added. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name of the provider on the button: "Continue with <name>". */
  readonly name: string;
  /** The claim whose value is the role of an admin; null: admins cannot log in with the provider. */
  readonly adminClaim: string | null;
  /** True: a person without an account gets one. */
  readonly signUp: boolean;
}

const dependents = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ADMIN_CLAIM', 'OIDC_NAME', 'OIDC_SIGN_UP'] as const;

/** Reads the `OIDC_*` variables; null without `OIDC_ISSUER`. The reported problems contain no secrets. */
export function readOidc(reader: EnvironmentReader, publicUrl: string): OidcConfig | null {
  const issuer = reader.text('OIDC_ISSUER');
  const signUp = reader.flag('OIDC_SIGN_UP');
  if (issuer === null) {
    const lonely = dependents.find((name) => ![null, 'false'].includes(reader.text(name)));
    if (lonely !== undefined) {
      reader.problem(`${lonely} has no effect without OIDC_ISSUER: set the URL of the provider, or remove ${lonely}.`);
    }
    return null;
  }
  if (!isSafe(issuer) || /[?#@]/.test(issuer)) {
    reader.problem(
      'OIDC_ISSUER must be an https URL without user, query and fragment, exactly as the provider names itself (http only on loopback).',
    );
  }
  if (URL.canParse(publicUrl) && !isSafe(publicUrl)) {
    reader.problem(
      'PUBLIC_URL must be an https URL with OIDC_ISSUER, because the provider returns people to it (http only on loopback).',
    );
  }
  const name = reader.text('OIDC_NAME') ?? 'single sign-on';
  if (name.length > 40) reader.problem('OIDC_NAME must have at most 40 characters: shorten it.');
  return {
    issuer,
    clientId: required(reader, 'OIDC_CLIENT_ID', 'the id of the client that the provider has registered'),
    clientSecret: required(reader, 'OIDC_CLIENT_SECRET', 'the secret of the client'),
    name,
    adminClaim: reader.text('OIDC_ADMIN_CLAIM'),
    signUp,
  };
}

function isSafe(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
}

function required(reader: EnvironmentReader, name: 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET', what: string): string {
  const value = reader.text(name);
  if (value === null) reader.problem(`${name} is required with OIDC_ISSUER: set it to ${what}.`);
  return value ?? '';
}
