import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ManagementClient } from '../../sdk/src/index.ts';
import { importKeygen } from './import.ts';
import type { KeygenSource } from './resource.ts';
import type { Counts } from './run.ts';
import { fileSource, httpSource } from './sources.ts';

const help = `Imports products, policies, licenses and machines from Keygen through the service's API.

Usage: keygen-import --account ACCOUNT [options]

  --service URL                the service; default: LICENSING_URL, or http://127.0.0.1:3000
  --account ACCOUNT            the id or the slug of the account in Keygen
  --url URL                    the API of Keygen; default: https://api.keygen.sh
  --token-stdin                read Keygen's token from standard input; default: KEYGEN_TOKEN
  --from FILE                  read saved pages from a file or a folder instead of Keygen's API
  --dry-run                    print the report and write nothing
  --overwrite                  take the state of Keygen where a license exists here with another one
  --skip-license-entitlements  import the entitlements of policies only, which saves a request per license

LICENSING_TOKEN has an access token of the tenant with the role admin. Prints one line of JSON for everything
that has no counterpart, was changed or refused, and a summary on standard error. It can be interrupted and repeated.
`;

/** What the program uses of its process. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  print(line: string): void;
  note(line: string): void;
}

/** A mistake in the command line. */
class UsageError extends Error {}

/** Runs the program. Returns its exit code: 0, 1 after a failure, and 2 for a wrong command line. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const values = readOptions(args);
    if (values.help) {
      terminal.note(help);
      return 0;
    }
    const source = await openSource(terminal, values);
    const { env } = terminal;
    const client = new ManagementClient({
      baseUrl: values.service ?? env['LICENSING_URL'] ?? 'http://127.0.0.1:3000',
      accessToken: env['LICENSING_TOKEN'] ?? '',
      timeoutMs: 60_000,
      maxRetries: 8,
    });
    const isDryRun = values['dry-run'] ?? false;
    const counts = await importKeygen({
      client,
      source,
      isDryRun,
      overwrites: values.overwrite ?? false,
      readsLicenseEntitlements: !values['skip-license-entitlements'],
      report: (finding) => terminal.print(JSON.stringify(finding)),
    });
    showSummary(terminal, counts, isDryRun);
    return 0;
  } catch (error) {
    terminal.note(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        service: { type: 'string' },
        account: { type: 'string' },
        url: { type: 'string', default: 'https://api.keygen.sh' },
        'token-stdin': { type: 'boolean' },
        from: { type: 'string' },
        'dry-run': { type: 'boolean' },
        overwrite: { type: 'boolean' },
        'skip-license-entitlements': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function openSource(
  { env, stdin, note }: Terminal,
  { from, account, url, 'token-stdin': readsStdin }: ReturnType<typeof readOptions>,
): Promise<KeygenSource> {
  if (from !== undefined) {
    if (account !== undefined) throw new UsageError('--from and --account cannot be combined.');
    if (!existsSync(from)) throw new UsageError(`--from: there is no file or folder ${from}.`);
    return fileSource(from);
  }
  if (account === undefined) throw new UsageError('The option --account is missing, or --from.');
  const address = URL.canParse(url) ? new URL(url) : null;
  const isLocal = address !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  if (address === null || address.username !== '' || !(address.protocol === 'https:' || isLocal)) {
    throw new UsageError('--url must be an https address without a user name.');
  }
  const token = (readsStdin ? await text(stdin) : (env['KEYGEN_TOKEN'] ?? '')).trim();
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
    throw new UsageError('The token is missing or malformed: set KEYGEN_TOKEN, or use --token-stdin.');
  }
  return httpSource({ url: address, account, token, note });
}

const columns = ['created', 'updated', 'unchanged', 'refused', 'conflict', 'adjusted', 'left_out'] as const;

function showSummary(terminal: Terminal, counts: Counts, isDryRun: boolean): void {
  for (const [collection, results] of Object.entries(counts)) {
    const parts = columns.flatMap((name) => (results[name] ? [`${results[name]} ${name.replace('_', ' ')}`] : []));
    if (parts.length > 0) terminal.note(`${collection}: ${parts.join(', ')}`);
  }
  terminal.note(isDryRun ? 'This was a dry run: nothing was written.' : 'The import is complete.');
}

if (import.meta.main) {
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    print: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
  });
}
