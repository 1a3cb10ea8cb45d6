import type { Config } from '../../config/config.ts';
import { serverOf } from '../../config/server-urls.ts';
import { readMetadata } from '../../features/accounts/single-sign-on/provider.ts';
import { isLoopback } from '../../lib/cidr.ts';
import { metricsAccess } from '../../metrics/metrics-access.ts';
import type { Run } from '../../rate-limit/valkey/connection.ts';
import { nodesKey } from '../../rate-limit/valkey/live-nodes.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Reports who may read the metrics. */
export function checkMetricsAccess(config: Config): Finding {
  switch (metricsAccess(config)) {
    case 'token':
      return ok('/metrics requires METRICS_TOKEN');
    case 'port':
      return ok(`/metrics is only on port ${config.metricsPort}, and requires no token`);
    case 'local':
      return ok('/metrics is open to direct requests on the loopback address');
    case 'nobody':
      return warning(
        '/metrics is refused, because HOST is not a loopback address.',
        'To read it, set METRICS_TOKEN (a bearer token) or METRICS_PORT (a port for metrics only).',
      );
  }
}

/** Reports who can create an account at an address that others reach, and a setting that `SIGN_UP` makes ineffective. */
export function* checkSignUp({ signUp, oidc, host, publicUrl }: Config): Generator<Finding> {
  const publicHost = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  const isPublic = !(isLoopback(host) && isLoopback(publicHost));
  if (signUp === 'open' && isPublic) {
    yield warning(
      `Anyone who reaches ${publicUrl} can create an account, because SIGN_UP is open.`,
      'Unless you sell to the public, set SIGN_UP to invite (an account needs an invitation) or off (no new accounts).',
    );
  } else yield ok(`SIGN_UP is ${signUp}`);
  if (signUp === 'open' || oidc?.signUp !== true) return;
  yield warning(`OIDC_SIGN_UP has no effect, because SIGN_UP is ${signUp}.`, 'Remove it, or set SIGN_UP to open.');
}

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

/** Checks that Valkey responds, accepts the credentials and runs scripts. Yields nothing without `VALKEY_URL`. */
export async function* checkValkey({ valkeyUrl }: Config): AsyncGenerator<Finding> {
  if (valkeyUrl === null) return;
  const { isRefusal, ValkeyConnection } = await import('../../rate-limit/valkey/connection.ts');
  const server = serverOf(valkeyUrl);
  let facts = { version: '', nodes: 0 };
  const connection = new ValkeyConnection({
    url: valkeyUrl,
    async onConnect(run) {
      facts = await readFacts(run);
    },
    onUp: () => undefined,
    onDown: () => undefined,
  });
  const failure = await connection.open();
  connection.close();
  if (failure === undefined) yield ok(`${facts.version} responds on ${server}; nodes that use it: ${facts.nodes}`);
  else if (isRefusal(failure)) {
    yield problem(
      `Valkey on ${server} rejects the credentials or the database of VALKEY_URL (${failure.message}).`,
      'Correct the URL.',
    );
  } else {
    yield problem(
      `Valkey on ${server} cannot be used (${failure.message}).`,
      'Start it, or correct VALKEY_URL; until then each node enforces its share of each rate limit.',
    );
  }
}

async function readFacts(run: Run): Promise<{ version: string; nodes: number }> {
  const info = String(await run(['INFO', 'server']));
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  const redis = /^redis_version:(\S+)/m.exec(info)?.[1];
  const version = valkey === undefined ? `Redis ${redis ?? ''}`.trim() : `Valkey ${valkey}`;
  return { version, nodes: Number(await run(['ZCARD', nodesKey])) };
}
