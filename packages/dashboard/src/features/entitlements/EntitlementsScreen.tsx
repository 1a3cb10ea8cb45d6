import { ActionIcon, Badge, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf } from '../../api/query-client.ts';
import {
  createEntitlement,
  deleteEntitlement,
  type Entitlement,
  type EntitlementInput,
  entitlementsQuery,
  updateEntitlement,
} from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { NameAndCode } from '../../components/CodeField.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Mono } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Pencil, Plus, Tag, Trash2 } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { entitlementSearch } from './search.ts';

const columns: readonly Column<Entitlement>[] = [
  {
    header: 'Name',
    cell: ({ name, description }) => (
      <Stack gap={0}>
        <Text span inherit fw={500}>
          {name}
        </Text>
        {description !== null && (
          <Text span size="xs" c="dimmed">
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    header: 'Code',
    cell: ({ code }) => <Mono>{code}</Mono>,
    isSecondary: true,
  },
  { header: 'Type', cell: ({ type }) => <Badge color="gray">{words(type)}</Badge> },
  timeColumn('Created at', ({ created_at }) => created_at, { format: 'date', isSecondary: true }),
];

/** The features and quantities that policies and licenses grant. */
export default function EntitlementsScreen() {
  const surface = useSurface();
  const [filters, change, bar] = useFilters(entitlementSearch, 'type');
  const [deleted, setDeleted] = useState<Entitlement | null>(null);
  const query = useQuery(entitlementsQuery(surface, filters));
  const mayCreate = allows(surface, 'entitlements', 'create');
  const mayUpdate = allows(surface, 'entitlements', 'update');
  const edited = query.data?.data.find(({ id }) => id === filters.edit);
  const close = () => void change({ panel: undefined, edit: undefined, cursor: filters.cursor });
  const newButton = <ActionButton icon={Plus} label="New entitlement" onClick={() => void change({ panel: 'new' })} />;
  const rowActions: Column<Entitlement> = actionsColumn((row) => (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <ActionIcon aria-label={`Edit ${row.name}`} onClick={() => void change({ edit: row.id, cursor: filters.cursor })}>
        <Pencil size={15} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon aria-label={`Delete ${row.name}`} onClick={() => setDeleted(row)}>
        <Trash2 size={15} aria-hidden="true" />
      </ActionIcon>
    </Group>
  ));
  return (
    <Page
      title="Entitlements"
      description="Entitlements are the features and quantities that you sell. Policies and licenses grant them."
      actions={mayCreate && newButton}
    >
      <FilterBar filters={bar}>
        <SelectFilter name="type" label="Type" options={['boolean', 'value', 'metered']} />
      </FilterBar>
      <DataTable
        caption="Entitlements"
        columns={mayUpdate ? [...columns, rowActions] : columns}
        query={query}
        empty={{
          icon: Tag,
          title: 'No entitlements yet',
          description:
            'An entitlement is something that a license can include: a feature, a value such as a number of projects, or a quantity that is counted.',
          action: mayCreate && newButton,
          noMatch: filters.type !== undefined && {
            icon: Tag,
            title: 'No entitlements of this type',
            description: 'Reset the filter to see all entitlements.',
          },
        }}
      />
      <FormDrawer title="New entitlement" isOpen={mayCreate && filters.panel === 'new'} onClose={close}>
        <EntitlementForm
          submitLabel="Create entitlement"
          submit={(input, key) => createEntitlement(surface, input, key)}
        />
      </FormDrawer>
      <FormDrawer title="Edit entitlement" isOpen={mayUpdate && edited !== undefined} onClose={close}>
        {edited !== undefined && (
          <EntitlementForm
            entitlement={edited}
            submitLabel="Save changes"
            submit={({ name, description }) =>
              updateEntitlement(surface, edited.id, { name, description: description ?? null })
            }
          />
        )}
      </FormDrawer>
      <ConfirmDialog
        title="Delete entitlement"
        isOpen={deleted !== null}
        {...(deleted !== null && { typedName: deleted.name })}
        onClose={() => setDeleted(null)}
        onConfirm={async () => {
          if (deleted !== null) await deleteEntitlement(surface, deleted.id);
        }}
        invalidates={[keyOf(surface, 'entitlements')]}
      >
        Applications that check <b>{deleted?.code}</b> are told that it is not granted. You cannot delete an entitlement
        that a policy or a license grants.
      </ConfirmDialog>
    </Page>
  );
}

interface EntitlementValues extends Record<string, unknown> {
  readonly name: string;
  readonly code: string;
  readonly type: Entitlement['type'];
  readonly description: string;
}

interface EntitlementFormProps {
  /** The entitlement to change; absent for a new one. */
  readonly entitlement?: Entitlement;
  readonly submitLabel: string;
  readonly submit: (input: EntitlementInput, idempotencyKey: string) => Promise<Entitlement>;
}

const types = [
  { value: 'boolean', label: 'Boolean', description: 'A feature that is on or off, such as PDF export.' },
  { value: 'value', label: 'Value', description: 'A number or a text, such as 10 projects.' },
  { value: 'metered', label: 'Metered', description: 'A quantity that is counted, such as 1,000 renders per month.' },
] as const;

/** The fields of an entitlement. Code and type of an existing one are fixed, because shipped software relies on them. */
function EntitlementForm(props: EntitlementFormProps) {
  const { entitlement, submitLabel, submit } = props;
  const isNew = entitlement === undefined;
  const resource = useResourceForm<EntitlementValues, Entitlement>({
    initialValues: {
      name: entitlement?.name ?? '',
      code: entitlement?.code ?? '',
      type: entitlement?.type ?? 'boolean',
      description: entitlement?.description ?? '',
    },
    submit: ({ name, code, type, description }, key) =>
      submit({ name: name.trim(), code, type, description: description.trim() || null }, key),
    invalidates: [keyOf(useSurface(), 'entitlements')],
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel={submitLabel}>
      <Stack gap="md">
        <NameAndCode
          form={form}
          isNew={isNew}
          isCodeFixed={!isNew}
          codeDescription="Your application checks the entitlement by this code. You cannot change it later."
          namePlaceholder="PDF export"
        />
        <Radio.Group
          label="Type"
          {...(isNew && { description: 'You cannot change the type later.' })}
          {...form.getInputProps('type')}
        >
          <Stack gap="xs" mt="xs">
            {types.map((type) => (
              <Radio key={type.value} {...type} disabled={!isNew && type.value !== entitlement.type} />
            ))}
          </Stack>
        </Radio.Group>
        <Textarea label="Description" maxLength={2000} {...form.getInputProps('description')} />
      </Stack>
    </ResourceFormBody>
  );
}
