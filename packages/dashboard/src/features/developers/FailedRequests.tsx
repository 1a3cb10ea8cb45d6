import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { type DeveloperSnapshot, snapshotQuery } from '../../api/dev-tools.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useSurface } from '../../shell/surface-context.ts';

type FailedRequest = DeveloperSnapshot['failed_requests'][number];

/** The page of the guides that explains a code. */
const explanationOf = (code: string) => `/docs/errors/#${code.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;

const columns: readonly Column<FailedRequest>[] = [
  { header: 'Time', cell: ({ occurred_at: at }) => <TimeText value={at} format="relative" /> },
  {
    header: 'Code',
    cell: ({ code, status }) => (
      <>
        <Anchor href={explanationOf(code)} size="md" ff="monospace">
          {code}
        </Anchor>{' '}
        <Text span size="sm" c="dimmed">
          {status}
        </Text>
      </>
    ),
  },
  {
    header: 'Request',
    isSecondary: true,
    cell: ({ route }) => (
      <Text size="sm" ff="monospace" truncate maw={420} title={route}>
        {route.replace('/api/v1/integration', '')}
      </Text>
    ),
  },
  {
    header: 'Request id',
    isSecondary: true,
    cell: ({ request_id: id }) => <CopyableText value={id} label="request id" maxLength={16} />,
  },
];

/** The last requests of the tenant's applications that failed. */
export function FailedRequests() {
  const surface = useSurface();
  const query = useQuery({
    ...snapshotQuery(surface),
    select: ({ failed_requests: data }) => ({ data, meta: { next_cursor: null } }),
  });
  return (
    <Section
      title="Recent failed requests"
      description="The last 20 requests to the Integration API that were refused."
    >
      <DataTable
        caption="Recent failed requests"
        columns={columns}
        query={query}
        rowKey={({ request_id: id, occurred_at: at }) => `${at} ${id}`}
        empty={
          <EmptyState
            icon={CircleCheck}
            title="No request failed"
            description="Requests that are refused after authentication appear here, with their code and request id."
          />
        }
      />
    </Section>
  );
}
