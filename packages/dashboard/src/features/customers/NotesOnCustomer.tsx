import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type CustomerNote,
  createCustomerNote,
  customerNotesQuery,
  customersKey,
  deleteCustomerNote,
} from '../../api/customers.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable } from '../../components/DataTable.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';

interface NotesProps {
  readonly email: string;
  readonly cursor: string | undefined;
}

/** What the vendor's people wrote about a customer, newest first. */
export function NotesOnCustomer({ email, cursor }: NotesProps) {
  const surface = useSurface();
  const [deleted, setDeleted] = useState<CustomerNote | null>(null);
  const query = useQuery(customerNotesQuery(surface, email, cursor));
  const mayWrite = allows(surface, 'customers', 'update');

  return (
    <Section title="Notes" description="Notes for your team. The customer never sees them.">
      {mayWrite && <NoteForm key={query.data?.data[0]?.id} email={email} />}
      <DataTable
        caption="Notes about this customer"
        columns={columnsFor(mayWrite ? setDeleted : undefined)}
        query={query}
        skeletonRows={2}
        empty="Nobody has written a note yet."
      />
      <ConfirmDialog
        title="Delete note"
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        onConfirm={async () => {
          if (deleted !== null) await deleteCustomerNote(surface, email, deleted.id);
        }}
        invalidates={[customersKey(surface)]}
      >
        The note is deleted for everybody. This cannot be undone.
      </ConfirmDialog>
    </Section>
  );
}

function NoteForm({ email }: { readonly email: string }) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { text: '' },
    validate: { text: (value) => (value.trim() === '' ? 'Enter a note.' : null) },
    submit: ({ text }, idempotencyKey) => createCustomerNote(surface, email, { text }, idempotencyKey),
    invalidates: [customersKey(surface)],
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Add note">
      <Textarea label="New note" autosize minRows={2} maxLength={2000} {...resource.form.getInputProps('text')} />
    </ResourceFormBody>
  );
}

function columnsFor(onDelete: ((note: CustomerNote) => void) | undefined): readonly Column<CustomerNote>[] {
  return [
    {
      header: 'Note',
      cell: ({ text, author_name, author_type, created_at }) => (
        <Stack gap={2}>
          <Text span inherit style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Text>
          <Group gap={4} fz="xs" c="dimmed">
            <span>{author_name ?? (author_type === 'admin' ? 'The platform' : 'A former member')}</span>
            <span aria-hidden="true">·</span>
            <TimeText value={created_at} />
          </Group>
        </Stack>
      ),
    },
    ...(onDelete === undefined
      ? []
      : [
          actionsColumn(
            (note: CustomerNote) => (
              <Button size="compact-xs" variant="default" onClick={() => onDelete(note)}>
                Delete
              </Button>
            ),
            { width: 90 },
          ),
        ]),
  ];
}
