import type { Config } from '../../config/config.ts';
import { serverOf } from '../../config/valkey-url.ts';
import type { Run } from '../../rate-limit/valkey/connection.ts';
import { nodesKey } from '../../rate-limit/valkey/live-nodes.ts';
import { type Finding, ok, problem } from './finding.ts';

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
