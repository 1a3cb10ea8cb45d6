import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { KeyServices } from '../../../services.ts';
import { listUnlinked, replaceBodies } from './queries.ts';

export { removeMessagesOf } from './queries.ts';

/** Messages per read. A body can have 1 MiB. */
const unlinkedBatch = 10;

/** Removes the bodies of the messages about some sales. The messages stay, with what they did. */
export async function eraseBodiesOf(
  { keyring }: Pick<KeyServices, 'keyring'>,
  tx: TenantTransaction,
  saleIds: readonly string[],
): Promise<void> {
  await replaceBodies(tx, { column: 'sale_id', values: saleIds }, keyring.seal(''));
}

/**
 * Removes the bodies of the messages that name an address and belong to no sale, because they failed or wait. It reads every
 * such message, outside of a transaction. Safe to repeat.
 */
export async function eraseUnlinkedBodies(
  { keyring }: Pick<KeyServices, 'keyring'>,
  db: TenantDb,
  email: string,
): Promise<void> {
  const address = email.toLowerCase();
  for (let after = ''; ; ) {
    const unlinked = await listUnlinked(db, after, unlinkedBatch);
    const naming: string[] = [];
    for (const { id, sealed_body } of unlinked) {
      if (bodyText(keyring.open(sealed_body)).includes(address)) naming.push(id);
      await yieldToEventLoop();
    }
    if (naming.length > 0) {
      const empty = keyring.seal('');
      await db.transaction((tx) => replaceBodies(tx, { column: 'id', values: naming }, empty));
    }
    const last = unlinked.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Returns the body of a message as text to search in. A form encodes the address. */
function bodyText(body: string): string {
  const text = Buffer.from(body, 'base64').toString().toLowerCase();
  return `${text}\n${text.replaceAll('%40', '@').replaceAll('%2b', '+')}`;
}
