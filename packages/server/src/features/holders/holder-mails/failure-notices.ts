import type { Services, TenantWorkServices } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';

type Noticed = Pick<Tenant, 'id' | 'db'>;

/** Notifies the tenant, once a day, that its own mail server accepts no mail. */
export async function noticeServerFailure(services: Services, tenant: Noticed, words: string): Promise<void> {
  await notice(services, tenant, {
    type: 'holder_mail.server_failed',
    title: 'Your mail server accepts no mails to your customers',
    body: `It answered: ${words} The mails wait and are sent again. Check the server under Email templates.`,
  });
}

/** Notifies the tenant, once a day, that mails wait because a limit is reached. */
export async function noticeLimit(services: Services, tenant: Noticed): Promise<void> {
  await notice(services, tenant, {
    type: 'holder_mail.limit_reached',
    title: 'Mails to your customers wait until tomorrow',
    body: 'As many mails were sent today as the service permits. The others are sent when the limit permits it. Use a mail server of your own to send more.',
  });
}

async function notice(
  services: TenantWorkServices,
  tenant: Noticed,
  { type, title, body }: { readonly type: string; readonly title: string; readonly body: string },
): Promise<void> {
  const at = services.clock.now();
  const occurrence = `${type} ${at.slice(0, 10)}`;
  await transactWithEvents(services, tenant, async (_tx, outbox) => {
    await outbox.notify({ type, severity: 'warning', title, body, occurrence, at });
  });
}
