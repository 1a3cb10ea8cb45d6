import type { ProductsTable } from '../../../db/tables/tenant/policies.ts';
import type { TrialRequestsTable } from '../../../db/tables/tenant/trials.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { foldEmail, storedEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { queueHolderMail } from '../../tenant-core/holder-mail-queue/queue.ts';
import { expiryRule } from '../../tenant-core/retention/retention.ts';
import type { Asked, TrialContext } from './context.ts';
import { mayMailCode } from './limits.ts';
import { findRequest, replaceRequest } from './queries.ts';
import type { PendingTrial } from './schemas.ts';
import { newTrialCode } from './trial-code.ts';

const codeSeconds = 24 * 60 * 60;
/** A device that asks again within this time receives no second mail. */
const repeatSeconds = 60;

interface Unconfirmed extends Asked {
  readonly product: ProductsTable;
  readonly email: string;
  /** The result of `mayMail`. */
  readonly mailsCode: boolean;
}

/** Returns whether a device's request sends a mail: not twice in a minute, and not too many to one address. */
export async function mayMail(
  services: Services,
  tenant: Tenant,
  product: ProductsTable,
  { fingerprint, email }: Pick<Unconfirmed, 'fingerprint' | 'email'>,
): Promise<boolean> {
  const former = await findRequest(tenant.db.query, product.id, fingerprint);
  const isRepeated =
    former !== undefined && isFor(former, email) && addSeconds(former.created_at, repeatSeconds) > services.clock.now();
  return !isRepeated && (await mayMailCode(services, tenant, foldEmail(email)));
}

function isFor(request: TrialRequestsTable, email: string): boolean {
  return foldEmail(request.email) === foldEmail(email);
}

/** Stores a trial until its address is confirmed, and queues the mail with the code. */
export async function askForConfirmation(
  { services, tenant, tx, outbox, at }: TrialContext,
  { product, fingerprint, email, name, device, language, mailsCode }: Unconfirmed,
): Promise<PendingTrial> {
  const former = await findRequest(tx, product.id, fingerprint);
  if (former !== undefined && !mailsCode && isFor(former, email) && former.expires_at > at) {
    return { status: 'confirmation_required', email, expires_at: former.expires_at };
  }
  const code = newTrialCode();
  const expires_at = addSeconds(at, codeSeconds);
  const id = newId();
  await replaceRequest(tx, {
    id,
    product_id: product.id,
    fingerprint,
    email: storedEmail(email),
    name,
    device_json: JSON.stringify(device),
    code_hash: services.keyring.hash(`trial ${tenant.id} ${code}`),
    created_at: at,
    expires_at,
  });
  if (mailsCode) {
    await queueHolderMail(
      tx,
      {
        type: 'trial.confirm',
        to: email,
        licenseId: null,
        productId: product.id,
        event: id,
        values: { code, product_name: product.name },
        language,
        usefulUntil: expires_at,
      },
      { ...services, outbox },
    );
  }
  return { status: 'confirmation_required', email, expires_at };
}

/** Deletes requests whose code has expired. */
export const trialRequestRetention = expiryRule(({ now }) => [
  { table: 'trial_requests', order: ['expires_at', 'id'], before: now },
]);
