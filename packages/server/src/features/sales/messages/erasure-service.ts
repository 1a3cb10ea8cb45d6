import type { TenantTransaction } from '../../../db/database.ts';
import type { KeyServices } from '../../../services.ts';
import { listUnlinked, removeMessageRows, replaceBodies } from './queries.ts';

/** Messages per read. A body can have 1 MiB. */
const unlinkedBatch = 20;

/**
 * Removes the bodies of the messages about some sales, and of those that name an address and belong to no sale, because they
 * failed or wait. The messages stay, with what they did.
 */
export async function eraseBodies(
  { keyring }: Pick<KeyServices, 'keyring'>,
  tx: TenantTransaction,
  { saleIds, email }: { readonly saleIds: readonly string[]; readonly email: string },
): Promise<void> {
  const empty = keyring.seal('');
  await replaceBodies(tx, { column: 'sale_id', values: saleIds }, empty);
  const address = email.toLowerCase();
  for (let after = ''; ; ) {
    const unlinked = await listUnlinked(tx, after, unlinkedBatch);
    const naming = unlinked.filter(({ sealed_body }) => bodyText(keyring.open(sealed_body)).includes(address));
    await replaceBodies(tx, { column: 'id', values: naming.map(({ id }) => id) }, empty);
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

/** Removes up to `limit` messages of a connection that was deleted. Returns their number. */
export function removeMessagesOf(tx: TenantTransaction, connectionId: string, limit: number): Promise<number> {
  return removeMessageRows(tx, connectionId, limit);
}
