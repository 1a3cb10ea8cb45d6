import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { adminPlansQuery, catalogProductsQuery, type Plan } from '../../api/commerce.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Boxes } from '../../icons/icons.gen.ts';
import { formatLimit } from '../../lib/text.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { catalogSearch } from '../catalog/search.ts';
import { PlanForm } from './PlanForm.tsx';
import { priceText, trialText } from './plan-terms.ts';

/** The plans of the catalog. */
export function PlansTab() {
  const [{ archived, product, panel, cursor }, change, bar] = useFilters(catalogSearch, 'archived', 'product');
  const mayWrite = useWritesPlatform();
  const products = useQuery(catalogProductsQuery({ limit: 100 }));
  const query = useQuery(
    adminPlansQuery({
      ...(archived && { archived: archived === 'yes' }),
      ...(product && { catalog_product_id: product }),
      ...(cursor && { cursor }),
    }),
  );
  const nameOf = (id: string | null) => products.data?.data.find((one) => one.id === id)?.name ?? '—';
  const columns: Column<Plan>[] = [
    {
      header: 'Plan',
      cell: ({ name, code }) => (
        <>
          {name}{' '}
          <Text span size="sm" c="dimmed" fw={400} ff="monospace">
            {code}
          </Text>
        </>
      ),
    },
    { header: 'Prices', cell: (plan) => <Prices plan={plan} /> },
    { header: 'Licenses', cell: ({ limits }) => formatLimit(limits.licenses), align: 'right', isSecondary: true },
    { header: 'Members', cell: ({ limits }) => formatLimit(limits.members), align: 'right', isSecondary: true },
    { header: 'Product', cell: (plan) => nameOf(plan.catalog_product_id), isSecondary: true },
    {
      header: 'Status',
      cell: (plan) =>
        plan.archived ? <StatusBadge status="archived" /> : <StatusBadge status="active" label="Offered" />,
      isSecondary: true,
    },
  ];
  const close = () => void change({ panel: undefined });
  return (
    <Stack gap="sm">
      <FilterBar filters={bar}>
        <SelectFilter
          name="archived"
          label="Status"
          options={[
            { value: 'no', label: 'Offered' },
            { value: 'yes', label: 'Archived' },
          ]}
        />
        <SelectFilter
          name="product"
          label="Product"
          options={(products.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </FilterBar>
      <DataTable
        caption="Plans"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/catalog/plans/${id}`}
        empty={{
          icon: Boxes,
          title: bar.isFiltered ? 'No plans match the filters' : 'No plans yet',
          description: 'A plan has prices and limits. Customers choose one when they sign up.',
        }}
      />
      <FormDrawer title="New plan" isOpen={mayWrite && panel === 'new'} onClose={close} size="xl">
        <PlanForm plan={null} products={products.data?.data ?? []} />
      </FormDrawer>
    </Stack>
  );
}

function Prices({ plan }: { readonly plan: Plan }) {
  if (plan.prices.length === 0)
    return <Text c="dimmed">{plan.code === 'free' ? 'Free' : 'Assigned by admins only'}</Text>;
  return (
    <Group gap={4} style={{ rowGap: 0 }}>
      {plan.prices.map((price, index) => (
        <Text key={`${price.interval} ${price.currency}`} className="tabular" style={{ whiteSpace: 'nowrap' }}>
          {priceText(price)}
          {price.trial_days > 0 && ` (${trialText(price.trial_days)})`}
          {index < plan.prices.length - 1 && ','}
        </Text>
      ))}
    </Group>
  );
}
