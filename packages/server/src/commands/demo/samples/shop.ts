import { createConnection } from '../../../features/sales/connections/service.ts';
import { createMessageReceiver } from '../../../features/sales/messages/receive-service.ts';
import { salesJob } from '../../../features/sales/messages/sales-job.ts';
import { createOffer } from '../../../features/sales/offers/service.ts';
import { signCustom } from '../../../features/sales/shops/custom/signature.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import type { DemoCatalog } from './catalog.ts';
import { dayMs, type Present, servicesAt } from './past.ts';

/** A message of the demo's shop, sent a number of days before now. `sale` may contain days from now in place of times. */
interface DemoMessage {
  readonly daysAgo: number;
  readonly type: string;
  readonly sale: Readonly<Record<string, unknown>> & { readonly id: string };
}

const items = { standard: 'editor-standard', pro: 'editor-pro-yearly', lifetime: 'editor-lifetime' } as const;

function buyer(name: string, number: number) {
  const [first = ''] = name.toLowerCase().split(' ');
  return { id: `customer-${number}`, name, email: `${first}@buyers.demo.example` };
}

/** What was sold: bought, renewed, unpaid, ended, refunded, disputed, and something without an offer. */
function planSales({ ago }: Present): DemoMessage[] {
  const sold = (daysAgo: number, number: number, name: string, item: string, more: object = {}): DemoMessage => ({
    daysAgo,
    type: 'sale.completed',
    sale: { id: `order-${number}`, buyer: buyer(name, number), items: [{ id: item, quantity: 1 }], ...more },
  });
  const later = (daysAgo: number, number: number, type: string, more: object = {}): DemoMessage => ({
    daysAgo,
    type,
    sale: { id: `order-${number}`, ...more },
  });
  return [
    sold(379, 2001, 'Mina Sato', items.pro, { paid_until: ago(14) }),
    sold(120, 2002, 'Hugo Lemaire', items.pro, { paid_until: ago(-245), items: [{ id: items.pro, quantity: 5 }] }),
    sold(96, 2003, 'Ingrid Dahl', items.standard),
    later(90, 2003, 'sale.refunded'),
    sold(61, 2004, 'Tariq Aziz', items.pro, { paid_until: ago(31) }),
    later(31, 2004, 'subscription.ended', { ends_at: ago(31) }),
    sold(40, 2005, 'Carla Romano', items.standard, { items: [{ id: items.standard, quantity: 2 }] }),
    sold(33, 2006, 'Pavel Horak', items.pro, { paid_until: ago(3) }),
    sold(21, 2007, 'Ruth Klein', items.standard),
    later(14.2, 2001, 'subscription.renewed', { paid_until: ago(-351) }),
    later(6, 2007, 'sale.disputed'),
    later(3, 2006, 'subscription.changed', { state: 'past_due', past_due_since: ago(3) }),
    sold(2, 2008, 'Lena Vogel', items.lifetime),
    sold(0.3, 2009, 'Sven Berg', items.pro, { paid_until: ago(-365) }),
  ];
}

/**
 * Connects a shop of the demo's own, with what it sold so far. Its messages take the way of real ones: they are signed,
 * received and applied, each at its time in the past.
 */
export async function createDemoShop(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { present, catalog }: { readonly present: Present; readonly catalog: DemoCatalog },
): Promise<void> {
  const opened = servicesAt(services, present.nowMs - 385 * dayMs);
  const { row, secret } = await createConnection(opened, tenant, actor, { provider: 'custom', name: 'Demo shop' });
  const offer = (external_id: string, name: string, policy_id: string, more: object = {}) =>
    createOffer(opened, tenant, actor, row.id, { external_id, name, policy_id, ...more });
  await offer(items.standard, 'Editor, Standard', catalog.perpetual.id, { quantity: 'licenses' });
  const unpaid = { on_payment_failure: 'suspend_after_days', suspend_after_days: 14 };
  await offer(items.pro, 'Editor, Pro, yearly', catalog.subscription.id, {
    quantity: 'seats',
    seats_per_unit: 2,
    ...unpaid,
  });
  for (const [index, message] of planSales(present).entries()) {
    const atMs = present.nowMs - message.daysAgo * dayMs;
    const then = servicesAt(services, atMs);
    const at = toTimestamp(atMs);
    const body = Buffer.from(JSON.stringify({ type: message.type, at, sale: message.sale }));
    const headers = signCustom(secret ?? '', `demo-message-${index + 1}`, body, at);
    await createMessageReceiver(then).receive(row.id, { headers, body, receivedAt: at }, 'demo');
    await salesJob(then).run({ tenantId: tenant.id, db: tenant.db, signal: new AbortController().signal });
  }
}
