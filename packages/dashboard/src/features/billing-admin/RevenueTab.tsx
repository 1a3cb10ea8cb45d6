import { Anchor, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type RevenueOverview, revenueQuery } from '../../api/commerce.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Section } from '../../components/Section.tsx';
import { ChartNoAxesColumn } from '../../icons/icons.gen.ts';
import { formatNumber, formatShare } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { PlanName } from '../plans/PlanName.tsx';

/** Revenue, churn and overdue amounts by currency, and the revenue by plan. */
export function RevenueTab() {
  const { data, error, refetch } = useQuery(revenueQuery);
  if (data === undefined) {
    return <QueryPlaceholder error={error} refetch={refetch} skeleton={320} />;
  }
  if (data.currencies.length === 0) {
    return (
      <Paper>
        <EmptyState
          icon={ChartNoAxesColumn}
          title="No revenue yet"
          description="Recurring revenue, churn and overdue amounts appear with the first subscription."
        />
      </Paper>
    );
  }
  return (
    <Stack gap="md">
      {data.currencies.map((one) => (
        <CurrencyRevenue key={one.currency} revenue={one} />
      ))}
      <ByPlan plans={data.by_plan} />
      {data.orphans > 0 && (
        <Text>
          {formatNumber(data.orphans)} {data.orphans === 1 ? 'subscription' : 'subscriptions'} at the payment provider
          belong to no tenant.{' '}
          <Anchor component={PathLink} to="/admin/billing" search={{ tab: 'orphans' }} underline="always">
            View orphans
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

type CurrencyRow = RevenueOverview['currencies'][number];

function CurrencyRevenue({ revenue }: { readonly revenue: CurrencyRow }) {
  const { currency, mrr, arr, active, trialing, past_due, unpaid, open_amount, churned, churn_rate } = revenue;
  const money = (amount: number) => <MoneyText amount={amount} currency={currency} />;
  const live = (status: string, quantity: number) => (
    <Anchor component={PathLink} to="/admin/subscriptions" search={{ status }} className="tabular" underline="always">
      {formatNumber(quantity)}
    </Anchor>
  );
  const late = (quantity: number) => (
    <Anchor component={PathLink} to="/admin/dunning" className="tabular" underline="always">
      {formatNumber(quantity)}
    </Anchor>
  );
  return (
    <Section
      title={currency.toUpperCase()}
      description="Recurring revenue is calculated after discounts, except discounts on a single invoice. It excludes trials."
    >
      <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} spacing="md" verticalSpacing="lg" m={0}>
        <Figure label="Monthly recurring revenue" value={money(mrr)} isLarge />
        <Figure label="Annual recurring revenue" value={money(arr)} isLarge />
        <Figure
          label="Churn in 30 days"
          value={formatShare(churn_rate)}
          note={`${formatNumber(churned)} ended`}
          isLarge
        />
        <Figure label="Open invoices" value={money(open_amount)} isLarge />
        <Figure label="Active" value={live('active', active)} />
        <Figure label="In trial" value={live('trialing', trialing)} />
        <Figure label="Past due" value={late(past_due)} note="in the grace period" />
        <Figure label="Unpaid" value={late(unpaid)} note="suspended" />
      </SimpleGrid>
    </Section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: string;
  readonly isLarge?: boolean;
}

function Figure({ label, value, note, isLarge = false }: FigureProps) {
  return (
    <Stack gap={2}>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} size={isLarge ? 'xl' : 'md'} fw={isLarge ? 600 : 400} className="tabular">
        {value}
        {note !== undefined && (
          <Text span size="sm" c="dimmed" fw={400}>
            {' '}
            {note}
          </Text>
        )}
      </Text>
    </Stack>
  );
}

function ByPlan({ plans }: { readonly plans: RevenueOverview['by_plan'] }) {
  return (
    <Paper component="section" p="md" aria-label="By plan">
      <Title order={2} mb="sm">
        By plan
      </Title>
      <Table fz="md">
        <caption className="visually-hidden">Revenue by plan</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Plan</Table.Th>
            <Table.Th ta="right">Subscriptions</Table.Th>
            <Table.Th ta="right">Monthly revenue</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {plans.map(({ plan_code, currency, subscriptions, mrr }) => (
            <Table.Tr key={`${plan_code} ${currency}`}>
              <Table.Td>
                <Anchor component={PathLink} to="/admin/subscriptions" search={{ plan_code }} size="md">
                  <PlanName code={plan_code} />
                </Anchor>
              </Table.Td>
              <Table.Td ta="right" className="tabular">
                {formatNumber(subscriptions)}
              </Table.Td>
              <Table.Td ta="right">
                <MoneyText amount={mrr} currency={currency} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
