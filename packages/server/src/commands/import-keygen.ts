import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openFileSource } from '../features/licensing/keygen-import/file-source.ts';
import { openHttpSource } from '../features/licensing/keygen-import/http-source.ts';
import type { KeygenSource } from '../features/licensing/keygen-import/resource.ts';
import { type ImportSummary, importKeygen } from '../features/licensing/keygen-import/service.ts';
import { assertTenantId } from './check-input.ts';
import { defineCommand, exitCodes, type OptionValues, type Terminal, UsageError } from './command.ts';
import { paceOf } from './progress.ts';
import { stopSignal } from './terminal.ts';
import { withServices } from './with-services.ts';

const updateEveryMs = 200;

const options = {
  tenant: { type: 'string', value: 'ID', required: true, description: 'The tenant that receives the data.' },
  account: { type: 'string', value: 'ACCOUNT', description: 'The id or the slug of the account in Keygen.' },
  url: { type: 'string', value: 'URL', description: 'The API of Keygen; default: https://api.keygen.sh.' },
  token: { type: 'string', value: 'TOKEN', description: 'An admin token; other users of the machine can see it.' },
  'token-stdin': { type: 'boolean', description: 'Read the token from standard input. Default: KEYGEN_TOKEN.' },
  from: { type: 'string', value: 'FILE', description: 'Read saved pages from a file or a folder instead of the API.' },
  'dry-run': { type: 'boolean', description: 'Print the report of the import and write nothing to the tenant.' },
  overwrite: { type: 'boolean', description: 'Take the state of Keygen where both sides changed.' },
  restart: { type: 'boolean', description: 'Start over instead of continuing an interrupted import.' },
  events: { type: 'boolean', description: "Publish an event to the tenant's webhooks for each change." },
  'skip-license-entitlements': {
    type: 'boolean',
    description: 'Import the entitlements of policies only, which saves a request per license.',
  },
} as const;

/** Imports an account of Keygen. Prints one JSON object per difference. */
export const importFromKeygen = defineCommand({
  name: 'import keygen',
  summary: 'Import products, policies, licenses and machines from Keygen.',
  details:
    'Works beside a running service and can be repeated: it updates what changed in Keygen and creates nothing twice.\n' +
    'An interrupted import continues where it stopped. Prints one line of JSON for everything that has no counterpart,\n' +
    'was changed or refused, and a summary on standard error. Do a --dry-run first.',
  options,
  async run({ terminal, values }) {
    assertTenantId(values.tenant);
    const address = addressOf(values);
    const token = values.from === undefined ? await tokenOf(terminal, values) : '';
    const stop = stopSignal();
    try {
      const summary = await withServices(terminal.env, async (services) => {
        const source = await openSource(terminal, values, address, token, stop.signal);
        try {
          return await importKeygen(services, {
            tenantId: values.tenant,
            source,
            signal: stop.signal,
            isDryRun: values['dry-run'] ?? false,
            overwrites: values.overwrite ?? false,
            restarts: values.restart ?? false,
            publishes: values.events ?? false,
            readsLicenseEntitlements: !values['skip-license-entitlements'],
            report: (finding) => terminal.print(JSON.stringify(finding)),
            progress: progressOf(terminal),
          });
        } finally {
          source.close();
        }
      });
      showSummary(terminal, summary, values['dry-run'] ?? false);
      return exitCodes.done;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      terminal.note('Stopped by a signal: run the command again to continue.');
      return exitCodes.failed;
    } finally {
      stop.release();
    }
  },
});

type Values = OptionValues<typeof options>;

/** Returns the address of the API; null if the pages come from files. */
function addressOf({ url = 'https://api.keygen.sh', account, from }: Values): URL | null {
  if (from !== undefined) {
    if (account !== undefined) throw new UsageError('--from and --account cannot be combined.');
    if (!existsSync(from)) throw new UsageError(`--from: there is no file or folder ${from}.`);
    return null;
  }
  if (account === undefined) throw new UsageError('The option --account is missing, or --from.');
  const address = URL.canParse(url) ? new URL(url) : null;
  const isLocal = address !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  if (address === null || address.username !== '' || !(address.protocol === 'https:' || isLocal))
    throw new UsageError('--url must be an https address without a user name.');
  return address;
}

async function tokenOf({ env, stdin }: Terminal, values: Values): Promise<string> {
  const given = values['token-stdin'] ? await text(stdin) : (values.token ?? env['KEYGEN_TOKEN'] ?? '');
  const token = given.trim();
  if (/^[\x21-\x7e]{1,1000}$/.test(token)) return token;
  throw new UsageError('The token is missing or malformed: set KEYGEN_TOKEN, or use --token-stdin or --token.');
}

async function openSource(
  terminal: Terminal,
  { account = '', from = '' }: Values,
  url: URL | null,
  token: string,
  signal: AbortSignal,
): Promise<KeygenSource> {
  if (url === null) return openFileSource(from);
  return await openHttpSource({
    url,
    account,
    token,
    signal,
    onWait: (reason, delayMs) => terminal.note(`${reason} Trying again in ${(delayMs / 1000).toFixed(1)} s.`),
  });
}

function progressOf(terminal: Terminal): (collection: string, done: number, total: number | null) => void {
  let shown = { collection: '', atMs: 0, fromMs: 0, from: 0 };
  return (collection, done, total) => {
    const nowMs = performance.now();
    if (shown.collection !== collection) shown = { collection, atMs: 0, fromMs: nowMs, from: done };
    if (!terminal.isInteractive || nowMs - shown.atMs < updateEveryMs) return;
    shown.atMs = nowMs;
    const of = total === null ? '' : ` of ${total.toLocaleString('en')}`;
    const left = total === null ? null : total - shown.from;
    terminal.progress(
      `${collection}: ${done.toLocaleString('en')}${of}, ${paceOf(done - shown.from, left, shown.fromMs)}`,
    );
  };
}

const columns = ['created', 'updated', 'unchanged', 'refused', 'conflict', 'missing', 'adjusted', 'left_out'] as const;

function showSummary(terminal: Terminal, { counts, continuedFrom }: ImportSummary, isDryRun: boolean): void {
  if (continuedFrom !== null) terminal.note(`Continued the import that began at ${continuedFrom}.`);
  for (const [collection, results] of Object.entries(counts)) {
    const parts = columns.flatMap((name) => (results[name] ? [`${results[name]} ${name.replace('_', ' ')}`] : []));
    if (parts.length > 0) terminal.note(`${collection}: ${parts.join(', ')}`);
  }
  terminal.note(isDryRun ? 'This was a dry run: nothing was written.' : 'The import is complete.');
}
