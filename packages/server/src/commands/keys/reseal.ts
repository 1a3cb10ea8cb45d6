import { completeKey, listAppKeys } from '../../db/app-keys.ts';
import type { Database } from '../../db/database.ts';
import { resealColumn, type SealedColumn } from '../../db/sealed.ts';
import { sealedColumns } from '../../sealed-columns.ts';
import { listNodesWithAnotherKey } from '../../tenancy/nodes.ts';
import { defineCommand, exitCodes, type Terminal, UsageError } from '../command.ts';
import { stopSignal } from '../terminal.ts';
import { forEachTenant, type SealedPlaces, withSealedPlaces } from './sealed-places.ts';

/** Seals every secret under the current application key, so that the former keys can be removed. */
export const keysReseal = defineCommand({
  name: 'keys reseal',
  summary: 'Encrypt every stored secret again under the current application key.',
  details:
    'Run it after a change of APP_KEY, when every node runs with the new key; the service keeps running. It goes over\n' +
    'the platform and every tenant, prints one line per failure and continues. Run it again to continue after a failure.\n' +
    'When it succeeds, no secret needs a former key any more. Hashes of API keys and tokens change when they are used:\n' +
    'see "licensing keys status".',
  options: {
    'give-up': {
      type: 'string',
      value: 'KEY_ID',
      description: 'Accept that a former key is lost, with every secret that only it opens.',
    },
  },
  async run({ terminal, values }) {
    const stop = stopSignal();
    try {
      const isDone = await withSealedPlaces(terminal.env, async (places) => {
        await assertRotated(places);
        const givenUp = values['give-up'];
        if (givenUp !== undefined) await giveUp(places, givenUp);
        return await resealAll(places, { terminal, signal: stop.signal, givenUp });
      });
      return isDone ? exitCodes.done : exitCodes.failed;
    } finally {
      stop.release();
    }
  },
});

/** Throws while a process may seal new secrets under a former key, or could not read what this command writes. */
async function assertRotated({ platform, keyring, clock }: SealedPlaces): Promise<void> {
  const stored = await platform.query.selectFrom('instance').select('app_key_fingerprint').executeTakeFirst();
  if (stored?.app_key_fingerprint !== keyring.fingerprint) {
    throw new Error(
      `The service has not been started with the application key ${keyring.fingerprint} yet: restart every node with it, ` +
        'then run this command again. Nothing was changed.',
    );
  }
  const nodes = await listNodesWithAnotherKey(platform, keyring.fingerprint, clock.now());
  if (nodes.length === 0) return;
  throw new Error(
    `Another application key is in use on ${nodes.join(', ')}: restart it with ${keyring.fingerprint}, then run this ` +
      'command again. A node that was killed is forgotten after a minute. Nothing was changed.',
  );
}

/** Accepts the loss of what a former key sealed. Throws for a key that is configured or was never noted. */
async function giveUp({ platform, keyring, clock }: SealedPlaces, fingerprint: string): Promise<void> {
  if ([keyring.fingerprint, ...keyring.previousFingerprints].includes(fingerprint))
    throw new UsageError(`The key ${fingerprint} is configured, so nothing that it sealed is lost: omit --give-up.`);
  const keys = await listAppKeys(platform);
  if (!keys.some((key) => key.fingerprint === fingerprint))
    throw new UsageError(`There is no former key ${fingerprint}: "licensing keys status" lists the keys.`);
  await completeKey(platform, fingerprint, { secrets: 0, startedAt: clock.now(), at: clock.now() });
}

interface Run {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly givenUp: string | undefined;
}

/** Returns true when no secret needs a former key that was not given up. */
async function resealAll(places: SealedPlaces, { terminal, signal, givenUp }: Run): Promise<boolean> {
  const { platform, databases, clock, keyring } = places;
  const startedAt = clock.now();
  const total = { resealed: 0, unreadable: 0 };
  const reseal = async <Tables>(name: string, database: Database<Tables>, columns: readonly SealedColumn<Tables>[]) => {
    for (const column of columns) {
      const { resealed, unreadable } = await resealColumn(database, column, keyring);
      total.resealed += resealed;
      total.unreadable += unreadable;
      if (unreadable > 0) terminal.print(`${name}  No configured key opens ${unreadable} ${column.what}.`);
    }
  };
  await reseal('platform', platform, sealedColumns.platform);
  const failed = await forEachTenant(places, {
    terminal,
    signal,
    async work(record) {
      const database = await databases.open(record);
      try {
        await reseal(record.id, database, sealedColumns.tenant);
      } finally {
        await database.close();
      }
    },
  });
  await recordEnd(places, { startedAt, unreadable: total.unreadable, failed: failed.length, givenUp });
  terminal.note(
    `Secrets that were encrypted again under the application key ${keyring.fingerprint}: ${total.resealed}.`,
  );
  if (signal.aborted) terminal.note('Stopped by a signal: run the command again to continue.');
  else if (failed.length > 0)
    terminal.note(`Tenants that failed: ${failed.length}. Correct the cause, then run the command again.`);
  if (total.unreadable > 0 && givenUp === undefined) terminal.note(adviceForUnreadable(total.unreadable));
  const isDone = failed.length === 0 && (total.unreadable === 0 || givenUp !== undefined);
  if (isDone && total.unreadable > 0) terminal.note(`${total.unreadable} secrets are lost with the key ${givenUp}.`);
  else if (isDone)
    terminal.note('No secret needs a former key any more. "licensing keys status" counts API keys and tokens.');
  return isDone;
}

interface End {
  readonly startedAt: string;
  readonly unreadable: number;
  readonly failed: number;
  readonly givenUp: string | undefined;
}

/** A configured former key opens what it sealed, so nothing needs it any more once every tenant was reached. */
async function recordEnd({ platform, keyring, clock }: SealedPlaces, end: End): Promise<void> {
  if (end.failed > 0) return;
  for (const { fingerprint, resealed_at } of await listAppKeys(platform)) {
    if (resealed_at !== null || fingerprint === keyring.fingerprint || fingerprint === end.givenUp) continue;
    const secrets = keyring.previousFingerprints.includes(fingerprint) ? 0 : end.unreadable;
    await completeKey(platform, fingerprint, { secrets, startedAt: end.startedAt, at: clock.now() });
  }
}

function adviceForUnreadable(count: number): string {
  return (
    `${count} secrets need a key that is not configured: add it to APP_PREVIOUS_KEYS, then run the command again. If it ` +
    'is lost: replace those signing keys ("licensing tenants rotate-signing-key ID") and webhook secrets, enter ' +
    'those webhook headers again, and reset those second factors.'
  );
}
