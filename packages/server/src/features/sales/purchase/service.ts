import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { keyHint } from '../../licensing/licenses/license-key.ts';
import { isSwitchedOn } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { readSwitches } from '../../tenant-core/holder-mail-queue/service.ts';
import type { SaleState } from '../sales/sale.ts';
import { listPurchaseRows } from './queries.ts';
import type { Purchase } from './schemas.ts';

/** For this long after the checkout, whoever knows its id sees whole keys. */
const keysShownSeconds = 3_600;
/** More licenses are counted and not listed: the buyer logs in. */
const licensesMax = 100;

const nothingYet: Purchase = {
  state: 'waiting',
  licenses: [],
  licenses_count: 0,
  has_downloads: false,
  email_hint: null,
};

/**
 * Returns the result of a checkout, for the buyer. An unknown connection or checkout is `waiting`, with the same
 * statements as a payment that the shop has not reported yet.
 */
export async function readPurchase(
  { clock }: Pick<Services, 'clock'>,
  { db }: Pick<Tenant, 'db'>,
  { connection, id }: { readonly connection: string; readonly id: string },
): Promise<Purchase> {
  const rows = await listPurchaseRows(db, connection, id);
  const switches = await readSwitches(db);
  const [first] = rows;
  if (first === undefined) return nothingYet;
  const licenses = rows.flatMap(({ key, product_name, policy_name, product_id, status, holder_email }) =>
    key === null || product_name === null || policy_name === null
      ? []
      : [{ key, product_name, policy_name, product_id, status, holder_email }],
  );
  if (licenses.length === 0) {
    // A problem of the vendor, or a license that was deleted: the buyer can only wait for the vendor.
    const isInHand = first.problem !== null || first.issued_id !== null;
    return isInHand ? { ...nothingYet, state: 'problem' } : nothingYet;
  }
  const isFresh = addSeconds(checkoutTime(first), keysShownSeconds) > clock.now();
  const mailed = licenses.find(
    ({ holder_email, product_id }) => holder_email !== null && isSwitchedOn(switches, 'license.issued', product_id),
  );
  return {
    state: 'ready',
    licenses: licenses.slice(0, licensesMax).map(({ key, product_name, policy_name, status }) => ({
      product_name,
      policy_name,
      key: isFresh && status === 'active' ? key : null,
      key_hint: keyHint(key),
    })),
    licenses_count: licenses.length,
    has_downloads: rows.some(({ published_release_id }) => published_release_id !== null),
    email_hint: isFresh && mailed?.holder_email != null ? maskedEmail(mailed.holder_email) : null,
  };
}

/**
 * Returns when the buyer paid: the earliest of what the shop says and of when this service heard of it, so that neither a
 * clock that is ahead nor a message that was sent again shows a key for longer.
 */
function checkoutTime(row: { readonly created_at: Timestamp; readonly state_json: string }): Timestamp {
  const { startedAt, checkoutId }: SaleState = JSON.parse(row.state_json);
  const times = [row.created_at, startedAt?.value, checkoutId?.at].filter((time) => time !== undefined);
  return times.sort()[0] ?? row.created_at;
}

/** Returns an address that only its owner recognises: `a…@example.com`. */
function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [letter = ''] = email;
  return `${letter}…${email.slice(at)}`;
}
