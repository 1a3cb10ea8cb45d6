import { isLoopback } from '../lib/cidr.ts';
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
  /** True: a person without an account gets one, if `SIGN_UP` is `open`. */
  readonly signUp: boolean;
}

/** Reads the `OIDC_*` variables; null without `OIDC_ISSUER`. The reported problems contain no secrets. */
export function readOidc(reader: EnvironmentReader, publicUrl: string): OidcConfig | null {
  const issuer = reader.text('OIDC_ISSUER');
  const clientId = reader.text('OIDC_CLIENT_ID');
  const clientSecret = reader.text('OIDC_CLIENT_SECRET');
  const adminClaim = reader.text('OIDC_ADMIN_CLAIM');
  const signUp = reader.flag('OIDC_SIGN_UP');
  const name = reader.text('OIDC_NAME') ?? 'single sign-on';
  if (name.length > 40) reader.problem('OIDC_NAME must have at most 40 characters: shorten it.');
  if (issuer === null) {
    const given = Object.entries({
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_ADMIN_CLAIM: adminClaim,
    });
    for (const [variable] of given.filter(([, value]) => value !== null)) {
      reader.problem(
        `${variable} has no effect without OIDC_ISSUER: set the URL of the provider, or remove ${variable}.`,
      );
    }
    return null;
  }
  if (clientId === null) {
    reader.problem('OIDC_CLIENT_ID is required with OIDC_ISSUER: set it to the id of the client at the provider.');
  }
  if (clientSecret === null) {
    reader.problem('OIDC_CLIENT_SECRET is required with OIDC_ISSUER: set it to the secret of the client.');
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
  return { issuer, clientId: clientId ?? '', clientSecret: clientSecret ?? '', name, adminClaim, signUp };
}

function isSafe(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
}
