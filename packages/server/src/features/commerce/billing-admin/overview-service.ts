import type { PlatformDb } from '../../../db/database.ts';
import type { SubscriptionStatus } from '../../../db/tables/platform/billing.ts';
import { type PageRequest, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { addDays } from '../../../lib/duration.ts';
import type { Services } from '../../../services.ts';
import { presentAdminSubscription } from '../subscriptions/subscription.ts';
import {
  countEnded,
  countOrphans,
  countOverdue,
  groupLive,
  listNotices,
  listOpenInvoices,
  listOverdue,
  sumOpenInvoices,
} from './queries.ts';
import type { DunningCase, RevenueOverview } from './schemas.ts';

const churnDays = 30;
const orphansMax = 1000;
const earning: readonly SubscriptionStatus[] = ['active', 'past_due'];

/**
 * Returns the revenue of all subscriptions by currency and by plan. Amounts are integers in minor units. It makes five
 * reads, however many subscriptions there are. Monthly revenue is the yearly sum divided once, so that rounding loses
 * nothing.
 */
export async function readRevenue({ clock, platform, sandbox }: Services): Promise<RevenueOverview> {
  const groups = await groupLive(platform);
  const ended = new Map(
    (await countEnded(platform, addDays(clock.now(), -churnDays))).map((row) => [row.currency, row]),
  );
  const open = new Map((await sumOpenInvoices(platform)).map((row) => [row.currency, row]));
  const overdue = await countOverdue(platform);
  const currencies = [...new Set([...groups.map(({ currency }) => currency), ...ended.keys(), ...open.keys()])].sort();
  return {
    currencies: currencies.map((currency) => {
      const own = groups.filter((group) => group.currency === currency);
      const count = (status: SubscriptionStatus) => sumOf(own.filter((group) => group.status === status));
      const late = overdue.filter((group) => group.currency === currency);
      const isInGrace = (group: (typeof late)[number]) => group.tenant_status === 'active';
      const live = sumOf(own);
      const churned = ended.get(currency)?.count ?? 0;
      const yearly = yearlyOf(own);
      return {
        currency,
        mrr: Math.round(yearly / 12),
        arr: yearly,
        active: count('active'),
        trialing: count('trialing'),
        past_due: sumOf(late.filter(isInGrace)),
        unpaid: sumOf(late.filter((group) => !isInGrace(group))),
        open_amount: open.get(currency)?.amount ?? 0,
        churned,
        churn_rate: live + churned === 0 ? 0 : churned / (live + churned),
      };
    }),
    by_plan: plansOf(groups),
    orphans: await countOrphans(platform, orphansMax),
    has_sandbox: sandbox !== null,
  };
}

type Groups = Awaited<ReturnType<typeof groupLive>>;

const sumOf = (groups: readonly { readonly count: number }[]) => groups.reduce((sum, { count }) => sum + count, 0);

/** Returns the yearly amount in minor units of the subscriptions that pay or are past due. */
function yearlyOf(groups: Groups): number {
  const paying = groups.filter(({ status }) => earning.includes(status));
  return paying.reduce((sum, { amount, interval }) => sum + (interval === 'year' ? amount : amount * 12), 0);
}

function plansOf(groups: Groups): RevenueOverview['by_plan'] {
  const byPlan = Map.groupBy(groups, ({ plan_code, currency }) => `${plan_code} ${currency}`);
  return [...byPlan.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, own]) => {
      const [first] = own;
      if (first === undefined) return [];
      const { plan_code, currency } = first;
      return [{ plan_code, currency, subscriptions: sumOf(own), mrr: Math.round(yearlyOf(own) / 12) }];
    });
}

/**
 * Returns one page of the overdue subscriptions with their open invoices and the mailed stages. It makes three reads.
 */
export async function readDunning(platform: PlatformDb, request: PageRequest): Promise<Page<DunningCase>> {
  const page = toPage(await listOverdue(platform, request), request.limit, 'past_due_since');
  const ids = page.rows.map(({ id }) => id);
  const invoices = await listOpenInvoices(platform, ids);
  const notices = await listNotices(platform, ids);
  return {
    ...page,
    rows: page.rows.map((row) => {
      const open = invoices.filter(({ subscription_id }) => subscription_id === row.id);
      const sent = notices.filter(
        ({ subscription_id, past_due_since }) => subscription_id === row.id && past_due_since === row.past_due_since,
      );
      return {
        ...presentAdminSubscription(row),
        tenant_status: row.tenant_status,
        open_invoice_ids: open.map(({ id }) => id),
        open_amount: open.reduce((sum, { amount_due }) => sum + amount_due, 0),
        stages_told: sent.map(({ stage }) => stage),
      };
    }),
  };
}
