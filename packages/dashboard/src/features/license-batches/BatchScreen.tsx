import { Alert, Button, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { batchesKey, batchQuery, cancelBatch, exportBatchKeys, type LicenseBatch } from '../../api/bulk.ts';
import { licensesKey } from '../../api/licenses.ts';
import { policyQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { Ban, CircleAlert, CircleX, Download } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows, allowsReading } from '../../surfaces.ts';
import { BulkDialog } from '../bulk-operations/BulkDialog.tsx';
import { policySummary } from '../policies/summary.ts';
import { valuesOf } from '../policies/values.ts';
import { BatchState, issuedText } from './BatchesScreen.tsx';
import { BatchTermWarning } from './BatchTermWarning.tsx';

const parent = { label: 'Batches', to: '/batches' };

/** A batch: its progress, its keys as a file, and its licenses. */
export default function BatchScreen({ batchId: id }: { readonly batchId: string }) {
  const surface = useSurface();
  const { data: batch, error, refetch } = useQuery(batchQuery(surface, id));
  if (batch === undefined) {
    return <UnloadedPage title="Batch" parent={parent} error={error} refetch={refetch} skeleton={[120, 160]} />;
  }
  return (
    <Page title={batch.name} badges={<BatchState batch={batch} />} parent={parent} actions={<Actions batch={batch} />}>
      {batch.state === 'running' && <Issuing batch={batch} />}
      {batch.reason !== null && (
        <Alert
          color="red"
          role="alert"
          icon={<CircleAlert size={18} aria-hidden="true" />}
          title="The batch stopped early"
        >
          <AlertText>{batch.reason}</AlertText>
        </Alert>
      )}
      <Details batch={batch} />
    </Page>
  );
}

/** Returns how many keys were used: `2 of 60 keys`. */
function usedText(used: number, issued: number): string {
  return `${formatNumber(used)} of ${count(issued, 'key')}`;
}

interface BatchProps {
  readonly batch: LicenseBatch;
}

function Actions({ batch }: BatchProps) {
  const surface = useSurface();
  const [isRevoking, setRevoking] = useState(false);
  const { id, state, issued } = batch;
  const download = useAction({
    run: async () => saveFile(await exportBatchKeys(surface, id, { format: 'csv' }), 'keys.csv'),
    invalidates: [],
  });
  const cancel = useAction({
    run: () => cancelBatch(surface, id),
    invalidates: [batchesKey(surface), licensesKey(surface)],
  });
  const isIssued = state !== 'running';
  const mayDownload = allowsReading(surface, 'exports');
  const hasKeys = isIssued && mayDownload;
  const mayAct = allows(surface, 'licenses', 'act');
  const mayRevoke = mayAct && isIssued && issued > 0;
  const mayCancel = mayAct && !isIssued;
  const save = () => download.mutate(undefined, { onError: showProblem });
  const stop = () => cancel.mutate(undefined, { onError: showProblem });
  useOfferActions([
    hasKeys && { label: 'Download keys', icon: Download, run: save },
    mayCancel && { label: 'Cancel batch', icon: CircleX, run: stop },
    mayRevoke && { label: 'Revoke batch', icon: Ban, run: () => setRevoking(true) },
  ]);
  return (
    <>
      {mayCancel && (
        <RunButton variant="default" action={cancel}>
          Cancel batch
        </RunButton>
      )}
      {mayRevoke && (
        <Button variant="default" color="red" onClick={() => setRevoking(true)}>
          Revoke batch
        </Button>
      )}
      {mayDownload && (
        <ActionButton
          icon={Download}
          label="Download keys"
          loading={download.isPending}
          disabled={!hasKeys}
          onClick={save}
        />
      )}
      <BulkDialog
        type={isRevoking ? 'revoke' : null}
        target={{ filter: { batch_id: id } }}
        what={`all ${count(issued, 'license')} of the batch`}
        onClose={() => setRevoking(false)}
      />
    </>
  );
}

function Issuing({ batch }: BatchProps) {
  return (
    <Section title="Progress">
      <Stack gap="xs" role="status">
        <Progress value={(batch.issued / batch.count) * 100} animated aria-label="Progress of the batch" />
        <Text>{`${issuedText(batch)} licenses issued. You can leave this page.`}</Text>
      </Stack>
    </Section>
  );
}

function Details({ batch }: BatchProps) {
  const surface = useSurface();
  const { data: policy } = useQuery(policyQuery(surface, batch.policy_id));
  return (
    <Section
      title="Details"
      actions={
        <SurfaceLink to="/licenses" search={{ batch_id: batch.id }} size="sm">
          Licenses of the batch
        </SurfaceLink>
      }
    >
      {policy !== undefined && <BatchTermWarning policy={policy} />}
      <Facts
        items={[
          { label: 'Licenses', value: issuedText(batch) },
          { label: 'Used', value: batch.used === undefined ? '—' : usedText(batch.used, batch.issued) },
          {
            label: 'Policy',
            value: <SurfaceLink to={`/policies/${batch.policy_id}`}>{policy?.name ?? 'Open the policy'}</SurfaceLink>,
          },
          { label: 'Terms', value: policy === undefined ? '—' : policySummary(valuesOf(policy)) },
          { label: 'Created', value: <TimeText value={batch.created_at} /> },
          { label: 'Note', value: batch.note ?? '—' },
        ]}
      />
    </Section>
  );
}
