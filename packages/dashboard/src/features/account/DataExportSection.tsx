import { Alert, Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import {
  type AccountExport,
  downloadExport,
  exportProgressQuery,
  isUnfinished,
  latestExportQuery,
  requestExport,
} from '../../api/account.ts';
import { newIdempotencyKey } from '../../api/client.ts';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { CircleAlert, Download } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';

/** Exports everything that the service stores about the person. The server keeps the progress, so a reload shows it too. */
export function DataExportSection() {
  const client = useQueryClient();
  const { data: latest, error, refetch } = useQuery(latestExportQuery());
  const progress = useQuery(exportProgressQuery(latest));
  const data = progress.data?.id === latest?.id ? (progress.data ?? latest) : latest;
  const key = useRef<string | null>(null);
  const request = useAction({
    run() {
      key.current ??= newIdempotencyKey();
      return requestExport(key.current);
    },
    invalidates: [],
  });
  const start = async () => {
    try {
      client.setQueryData(latestExportQuery().queryKey, await request.mutateAsync());
      key.current = null;
    } catch (failure) {
      showProblem(failure);
    }
  };
  const isRunning = request.isPending || (data != null && isUnfinished(data));
  return (
    <Section
      title="Data export"
      description="Export everything that this service stores about you, in all tenants, as one JSON file. You can download the file for seven days."
      actions={
        <Button variant="default" size="xs" loading={isRunning} onClick={() => void start()}>
          {data == null ? 'Export my data' : 'Export again'}
        </Button>
      }
    >
      {data === undefined && (
        <QueryPlaceholder error={error} refetch={refetch} skeleton={<Skeleton h={20} w="60%" />} />
      )}
      {data != null && <ExportStatus job={data} />}
      {data === null && <Hint>You have not exported your data yet.</Hint>}
    </Section>
  );
}

function ExportStatus({ job }: { readonly job: AccountExport }) {
  const { status, progress, created_at: createdAt, expires_at: expiresAt } = job;
  if (isUnfinished(job)) {
    return (
      <Stack gap={6} role="status">
        <Progress
          value={(100 * progress.done) / Math.max(1, progress.total)}
          animated
          aria-label={`${progress.done} of ${progress.total} parts`}
        />
        <Hint>
          {`Exporting your data: ${progress.done} of ${progress.total} parts are done. You can leave this page in the meantime.`}
        </Hint>
      </Stack>
    );
  }
  if (status === 'failed') {
    return (
      <Alert role="alert" color="red" icon={<CircleAlert size={18} aria-hidden="true" />}>
        The export failed. Export again; if it fails again, ask the operator of the service.
      </Alert>
    );
  }
  return (
    <Group justify="space-between" gap="sm">
      <Text role="status">
        The export of <TimeText value={createdAt} /> is ready. It is removed{' '}
        <TimeText value={expiresAt} format="when" />.
      </Text>
      <Button
        size="xs"
        leftSection={<Download size={15} aria-hidden="true" />}
        onClick={() => downloadExport(job.id).then((file) => saveFile(file, 'account.json'), showProblem)}
      >
        Download
      </Button>
    </Group>
  );
}
