/** The claims that a provider sends about a person. */
export interface PersonClaims {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
  readonly licensing_role?: unknown;
}

/** A real provider of OpenID Connect (oidc-provider) on loopback. Nobody needs a password there. */
export interface OpenIdProvider {
  /** Its URL, without a slash at the end. */
  readonly issuer: string;
  /** Adds a person and returns the id, which is the `sub` of the person's tokens. */
  addPerson(claims: PersonClaims): string;
  /** Replaces the signing key. Logins in progress are lost. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

interface ProviderOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly client: { readonly id: string; readonly secret: string; readonly redirectUris: readonly string[] };
}

/** Starts a provider. A person logs in by opening the page that it redirects to with `?person=<id>`, or `?cancel=true`. */
export function startOpenIdProvider(options: ProviderOptions): Promise<OpenIdProvider>;
