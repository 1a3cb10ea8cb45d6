import type { Config } from '../../config/config.ts';
import { readMetadata } from '../../features/accounts/single-sign-on/provider.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks that the provider of single sign-on describes itself. Yields nothing without `OIDC_ISSUER`. */
export async function* checkSingleSignOn({ oidc }: Config): AsyncGenerator<Finding> {
  if (oidc === null) return;
  try {
    const { code_challenge_methods_supported: methods } = await readMetadata(await import('openid-client'), oidc);
    yield ok(`The provider of single sign-on ${oidc.issuer} describes itself`);
    if (methods?.includes('S256') ?? true) return;
    yield warning(`${oidc.issuer} does not list PKCE with S256.`, 'Turn it on there: the service always uses it.');
  } catch (error) {
    yield problem(
      `The provider of single sign-on ${oidc.issuer} cannot be used (${reasonOf(error)}).`,
      'Start it, or correct OIDC_ISSUER: it must be the exact value of "issuer" in its /.well-known/openid-configuration. Until then people log in with passwords only.',
    );
  }
}

/** `fetch` hides the reason of a failed connection in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof TypeError && error.cause instanceof Error ? error.cause.message : error.message;
}
