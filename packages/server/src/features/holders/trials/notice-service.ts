import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { newLinkToken } from '../../accounts/identity/mail-link-service.ts';
import { noticeIssued } from '../../licensing/licenses/holder-notices.ts';
import { isUnconfirmed } from '../../tenant-core/holder-mail-queue/address-service.ts';
import { loginUrl } from '../portal/handle.ts';
import { insertLinkLogin } from '../portal/link-service.ts';
import type { TrialContext } from './context.ts';

/** How long the link of the mail works. The person may read it after a weekend or a holiday. */
const linkSeconds = 7 * 86_400;

/**
 * Queues the mail about the license of a trial. Somebody else may own an address that no code confirmed: its mail contains
 * nothing that the caller wrote. If it is the only mail that the address may get, its link to the portal logs in, which
 * confirms the address.
 */
export async function noticeTrial(
  { services, tx, outbox, at, portalUrl }: TrialContext,
  license: LicensesTable,
  isConfirmed: boolean,
): Promise<void> {
  const { holder_email: email } = license;
  if (email === null) return;
  const values: Record<string, string> = isConfirmed ? {} : { holder_name: '' };
  if (portalUrl === null || !(await isUnconfirmed(tx, email))) {
    await noticeIssued(services, tx, outbox, [license], undefined, values);
    return;
  }
  const token = newLinkToken();
  const portal_url = loginUrl(portalUrl, token);
  const queued = await noticeIssued(services, tx, outbox, [license], undefined, { ...values, portal_url });
  if (queued > 0) await insertLinkLogin(services, tx, { kind: 'holder', email, token, seconds: linkSeconds, at });
}
