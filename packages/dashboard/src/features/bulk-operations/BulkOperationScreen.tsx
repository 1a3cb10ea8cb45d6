import { Button, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type BulkOperation,
  bulkKey,
  bulkOperationQuery,
  cancelBulkOperation,
  exportBulkChanges,
  undoBulkOperation,
} from '../../api/bulk.ts';
import { licensesKey } from '../../api/licenses.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { CircleX, Download, Undo2 } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows, allowsReading } from '../../surfaces.ts';
import { OperationState } from './OperationState.tsx';
import { Refusals } from './PreviewOf.tsx';
import { actionText, resultText } from './words.tsx';

const parent = { label: 'Bulk operations', to: '/bulk-operations' };

/** A change of many licenses: its progress, what it did, and how to cancel or undo it. */
export default function BulkOperationScreen({ operationId: id }: { readonly operationId: string }) {
  const surface = useSurface();
  const { data: operation, error, refetch } = useQuery(bulkOperationQuery(surface, id));
  if (operation === undefined) {
    return (
      <UnloadedPage title="Bulk operation" parent={parent} error={error} refetch={refetch} skeleton={[120, 160]} />
    );
  }
  return (
    <Page
      title={actionText(operation)}
      badges={<OperationState operation={operation} />}
      parent={parent}
      actions={<Actions operation={operation} />}
    >
      <Outcome operation={operation} />
      <Details operation={operation} />
    </Page>
  );
}

function Actions({ operation }: { readonly operation: BulkOperation }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [isUndoing, setUndoing] = useState(false);
  const { id, state, changed, undone_by } = operation;
  const invalidates = [bulkKey(surface), licensesKey(surface)];
  const cancel = useAction({ run: () => cancelBulkOperation(surface, id), invalidates });

  const download = useAction({
    run: async () => saveFile(await exportBulkChanges(surface, id, { format: 'csv' }), 'changes.csv'),
    invalidates: [],
  });
  const mayAct = allows(surface, 'licenses', 'act');
  const isRunning = state === 'running';
  const mayDownload = !isRunning && allowsReading(surface, 'exports');
  const mayUndo = mayAct && !isRunning && undone_by === null && changed > 0;
  const save = () => download.mutate(undefined, { onError: showProblem });
  const stop = () => cancel.mutate(undefined, { onError: showProblem });
  useOfferActions([
    mayDownload && { label: 'Download changes', icon: Download, run: save },
    mayAct && isRunning && { label: 'Cancel operation', icon: CircleX, run: stop },
    mayUndo && { label: 'Undo operation', icon: Undo2, run: () => setUndoing(true) },
  ]);
  return (
    <>
      {mayDownload && (
        <ActionButton
          icon={Download}
          label="Download changes"
          variant="default"
          loading={download.isPending}
          onClick={save}
        />
      )}
      {mayAct && isRunning && (
        <Button variant="default" loading={cancel.isPending} onClick={stop}>
          Cancel operation
        </Button>
      )}
      {mayUndo && <ActionButton icon={Undo2} label="Undo" onClick={() => setUndoing(true)} />}
      <ConfirmDialog
        title="Undo operation"
        isDangerous={false}
        isOpen={isUndoing}
        onClose={() => setUndoing(false)}
        onConfirm={async () => {
          const { id: undoId } = await undoBulkOperation(surface, id);
          await navigate(`/bulk-operations/${undoId}`);
        }}
        invalidates={invalidates}
      >
        {`${count(changed, 'license')} ${changed === 1 ? 'gets its' : 'get their'} former values. Fields that somebody has changed since keep their new values.`}
      </ConfirmDialog>
    </>
  );
}

function Outcome({ operation }: { readonly operation: BulkOperation }) {
  const { state, total, changed, unchanged, refused, refusals } = operation;
  const done = changed + unchanged + refused;
  const isRunning = state === 'running';
  return (
    <Section title={isRunning ? 'Progress' : 'Result'}>
      <Stack gap="xs" role="status">
        {isRunning && (
          <Progress
            value={total === null || total === 0 ? 100 : Math.min(100, (done / total) * 100)}
            animated
            aria-label="Progress of the operation"
          />
        )}
        <Text>
          {isRunning && `${formatNumber(done)}${total === null ? '' : ` of ${formatNumber(total)}`} licenses: `}
          {`${resultText(operation)}.`}
          {isRunning && ' You can leave this page.'}
        </Text>
        <Refusals refusals={refusals} refused={refused} verb="could not be" />
      </Stack>
    </Section>
  );
}

function Details({ operation }: { readonly operation: BulkOperation }) {
  const { reason, notify_holder, undoes, undone_by, created_at, ended_at } = operation;
  const toOperation = (id: string) => <SurfaceLink to={`/bulk-operations/${id}`}>Open</SurfaceLink>;
  return (
    <Section title="Details">
      <Facts
        items={[
          { label: 'Reason', value: reason ?? '—' },
          { label: 'Started', value: <TimeText value={created_at} /> },
          { label: 'Ended', value: <TimeText value={ended_at} fallback="Running" /> },
          { label: 'Mails to the customers', value: notify_holder ? 'Sent' : 'None' },
          ...(undoes === null ? [] : [{ label: 'Undoes', value: toOperation(undoes) }]),
          ...(undone_by === null ? [] : [{ label: 'Undone by', value: toOperation(undone_by) }]),
        ]}
      />
    </Section>
  );
}
