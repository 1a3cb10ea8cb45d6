import { NumberInput, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { batchesKey, batchesQuery, createBatch, type LicenseBatch } from '../../api/bulk.ts';
import { policyQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { PolicyInput, ProductOrAllInput } from '../../components/ChoiceInput.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Layers, Plus } from '../../icons/icons.gen.ts';
import { formatNumber } from '../../lib/text.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { policySummary } from '../policies/summary.ts';
import { valuesOf } from '../policies/values.ts';
import { BatchTermWarning } from './BatchTermWarning.tsx';
import { batchesSearch } from './search.ts';

/** The state of a batch. */
export function BatchState({ batch }: { readonly batch: LicenseBatch }) {
  return <StatusBadge status={batch.state} {...(batch.state === 'done' && { tone: 'good' })} />;
}

/** Returns how many licenses of a batch exist. */
export function issuedText({ issued, count }: LicenseBatch): string {
  return issued === count ? formatNumber(count) : `${formatNumber(issued)} of ${formatNumber(count)}`;
}

const columns: readonly Column<LicenseBatch>[] = [
  { header: 'Batch', cell: ({ name }) => name },
  { header: 'State', cell: (batch) => <BatchState batch={batch} /> },
  { header: 'Licenses', align: 'right', cell: issuedText },
  { header: 'Note', isSecondary: true, cell: ({ note }) => note ?? '—' },
  timeColumn('Created', ({ created_at }) => created_at, { format: 'date', isSecondary: true }),
];

/** The batches of licenses, and "New batch". */
export default function BatchesScreen() {
  const surface = useSurface();
  const [search, change] = useFilters(batchesSearch);
  const { panel, ...filters } = search;
  const query = useQuery(batchesQuery(surface, filters));
  const mayCreate = allows(surface, 'licenses', 'create');
  const button = mayCreate && (
    <ActionButton icon={Plus} label="New batch" onClick={() => void change({ panel: 'new' })} />
  );
  const close = () => void change({ panel: undefined });
  return (
    <Page
      title="Batches"
      description="Issue up to 10,000 licenses of a policy at once, such as for a reseller. Download their keys, and revoke them together."
      actions={button}
    >
      <DataTable
        caption="Batches"
        columns={columns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/batches/${id}`)}
        skeletonRows={4}
        empty={{
          icon: Layers,
          title: 'No batches yet',
          description: 'A batch issues many licenses of one policy. You download its keys as a file for your reseller.',
          action: button,
        }}
      />
      <FormDrawer title="New batch" isOpen={panel === 'new' && mayCreate} onClose={close}>
        <NewBatchForm />
      </FormDrawer>
    </Page>
  );
}

const initialValues = { name: '', policy_id: null as string | null, count: 100 as number | string, note: '' };
const countMax = 10_000;

function NewBatchForm() {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [productId, setProductId] = useState<string | null>(null);
  const resource = useResourceForm({
    initialValues,
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name for the batch.' : null),
      policy_id: (id) => (id === null ? 'Choose the policy of the licenses.' : null),
      count: (count) => (Number(count) >= 1 ? null : 'Enter how many licenses you need.'),
    },
    submit: ({ name, policy_id, count, note }, idempotencyKey) => {
      const text = note.trim();
      const body = { name: name.trim(), policy_id: policy_id ?? '', count: Number(count) };
      return createBatch(surface, { ...body, ...(text !== '' && { note: text }) }, idempotencyKey);
    },
    invalidates: [batchesKey(surface)],
    onSaved: ({ id }) => navigate(`/batches/${id}`),
  });
  const { form } = resource;
  const policyId = form.getValues().policy_id;
  const { data: policy } = useQuery({ ...policyQuery(surface, policyId ?? ''), enabled: policyId !== null });
  return (
    <ResourceFormBody resource={resource} submitLabel="Create batch">
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <ProductOrAllInput
        value={productId}
        onChange={(id) => {
          setProductId(id);
          form.setFieldValue('policy_id', null);
        }}
      />
      <PolicyInput
        label="Policy"
        placeholder="Choose the terms"
        withAsterisk
        productId={productId ?? undefined}
        {...form.getInputProps('policy_id')}
      />
      {policy !== undefined && (
        <>
          <Text size="sm">{policySummary(valuesOf(policy))}</Text>
          <BatchTermWarning policy={policy} />
        </>
      )}
      <NumberInput
        label="Licenses"
        withAsterisk
        min={1}
        max={countMax}
        allowDecimal={false}
        thousandSeparator=","
        {...form.getInputProps('count')}
      />
      <Textarea
        label="Note"
        description="For your team, such as the order number of the reseller."
        maxLength={1000}
        autosize
        minRows={2}
        {...form.getInputProps('note')}
      />
    </ResourceFormBody>
  );
}
