import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  applyComparison,
  type Comparison,
  cancelComparison,
  comparisonQuery,
  comparisonsQuery,
  differencesQuery,
  startComparison,
} from '../../api/comparisons.ts';
import { type Connection, connectionsKey } from '../../api/connections.ts';
import { licensesKey } from '../../api/licenses.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { AlertText, Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { CircleAlert, RefreshCw } from '../../icons/icons.gen.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { DifferenceList } from './DifferenceList.tsx';
import { connectionSearch } from './search.ts';
import { shops } from './shops.ts';

interface ComparisonTabProps {
  readonly connection: Connection;
}

/** What the shop says now, compared with the licenses here. It repairs lost messages, and imports earlier customers. */
export function ComparisonTab({ connection }: ComparisonTabProps) {
  const shop = shops[connection.provider];
  if (shop.apiKey === null) {
    return (
      <Paper>
        <EmptyState
          icon={RefreshCw}
          title="Nothing to compare with"
          description="The service cannot ask your own shop what it sold. Repeat each message until the answer has the status 200, and send the current state again after a failure."
        />
      </Paper>
    );
  }
  return connection.has_api_key ? <Comparisons connection={connection} /> : <KeyIsMissing />;
}

function KeyIsMissing() {
  const surface = useSurface();
  const [, change] = useFilters(connectionSearch);
  return (
    <Paper>
      <EmptyState
        icon={RefreshCw}
        title="An API key finds what was lost"
        description="With a key of the shop, the service compares every night what was paid there with the licenses here, and imports existing customers."
        action={
          allows(surface, 'connections', 'update') && (
            <Button onClick={() => void change({ panel: 'edit' })}>Add an API key</Button>
          )
        }
      />
    </Paper>
  );
}

function Comparisons({ connection }: ComparisonTabProps) {
  const surface = useSurface();
  const { data, error, refetch } = useQuery(comparisonsQuery(surface, connection.id));
  const [{ comparison: chosen }] = useFilters(connectionSearch);
  const start = useAction({
    run: () => startComparison(surface, connection.id),
    invalidates: [connectionsKey(surface)],
  });
  if (data === undefined) return <QueryPlaceholder error={error} refetch={refetch} skeleton={[120, 240]} />;
  const shown = data.data.find(({ id }) => id === chosen) ?? data.data[0];
  const button = allows(surface, 'connections', 'act') && (
    <ActionButton
      icon={RefreshCw}
      label="Compare now"
      loading={start.isPending}
      disabled={data.data[0]?.state === 'running'}
      onClick={() => start.mutate(undefined, { onError: showProblem })}
    />
  );
  if (shown === undefined) {
    return (
      <Paper>
        <EmptyState
          icon={RefreshCw}
          title="Not compared yet"
          description="A comparison reads what the shop sold and lists what differs here. It changes nothing until you apply it. The first comparison imports existing customers."
          action={button}
        />
      </Paper>
    );
  }
  return (
    <Stack gap="lg">
      <ShownComparison connection={connection} listed={shown} />
      <History comparisons={data.data} shown={shown} />
    </Stack>
  );
}

/** One comparison: its progress while it runs, then what it found. */
function ShownComparison({ connection, listed }: ComparisonTabProps & { readonly listed: Comparison }) {
  const surface = useSurface();
  const isListedRunning = listed.state === 'running';
  const { data } = useQuery({ ...comparisonQuery(surface, connection.id, listed.id), enabled: isListedRunning });
  const comparison = isListedRunning ? (data ?? listed) : listed;
  const open = useQuery({
    ...differencesQuery(surface, connection.id, listed.id, { state: 'open', limit: 1 }),
    enabled: listed.differences > 0,
  });
  const applyAll = useAction({
    run: () => applyComparison(surface, connection.id, comparison.id),
    invalidates: [connectionsKey(surface), licensesKey(surface)],
  });
  const cancel = useAction({
    run: () => cancelComparison(surface, connection.id, comparison.id),
    invalidates: [connectionsKey(surface), licensesKey(surface)],
  });
  const { state, seen, total, differences, applies_itself, reason } = comparison;
  const isRunning = state === 'running';
  const mayAct = allows(surface, 'connections', 'act');
  const mayApply = mayAct && !isRunning && !applies_itself && open.data?.data.length === 1;
  return (
    <>
      <Section
        title={isRunning ? 'Comparing' : 'Comparison'}
        description={
          <>
            Started <TimeText value={comparison.started_at} format="relative" />
            {comparison.ended_at !== null && (
              <>
                , ended <TimeText value={comparison.ended_at} format="relative" />
              </>
            )}
            .
          </>
        }
        actions={
          <>
            {mayAct && comparison.continues_at !== null && (
              <RunButton variant="default" action={cancel}>
                Cancel comparison
              </RunButton>
            )}
            {mayApply && <RunButton action={applyAll}>Apply all</RunButton>}
          </>
        }
      >
        <Stack gap="xs" role="status">
          {isRunning && (
            <Progress
              value={total === null || total === 0 ? 100 : Math.min(100, (seen / total) * 100)}
              animated
              aria-label="Progress of the comparison"
            />
          )}
          <Text>{sentence(comparison)}</Text>
          {isRunning && reason !== null && <Hint>{reason}</Hint>}
        </Stack>
        {state === 'failed' && reason !== null && (
          <Alert
            color="red"
            role="alert"
            icon={<CircleAlert size={18} aria-hidden="true" />}
            title="The comparison stopped early"
          >
            <AlertText>{reason}</AlertText>
          </Alert>
        )}
      </Section>
      {differences > 0 && <DifferenceList connection={connection} comparison={comparison} />}
    </>
  );
}

function sentence({ state, seen, total, differences, applies_itself }: Comparison): string {
  const read = total === null ? count(seen, 'sale') : `${formatNumber(seen)} of ${count(total, 'sale')}`;
  const found = differences === 0 ? 'no difference' : count(differences, 'difference');
  if (state === 'running') return `${read} read, ${found} so far. You can leave this page.`;
  // It has not read every sale, and has applied nothing.
  if (state === 'failed') return `${read} read, ${found} found until then.`;
  if (differences === 0) return `${count(seen, 'sale')} read. Everything matches.`;
  return `${count(seen, 'sale')} read, ${found} found${applies_itself ? ' and applied' : ''}.`;
}

function History({ comparisons, shown }: { readonly comparisons: readonly Comparison[]; readonly shown: Comparison }) {
  const [, change] = useFilters(connectionSearch);
  const others = comparisons.filter(({ id }) => id !== shown.id);
  if (others.length === 0) return null;
  return (
    <Section title="Other comparisons">
      <Stack gap={6}>
        {others.map((comparison) => (
          <Group key={comparison.id} gap="xs">
            <Button
              size="xs"
              variant="default"
              onClick={() => void change({ comparison: comparison.id, difference: undefined })}
            >
              <TimeText value={comparison.started_at} />
            </Button>
            <StatusBadge status={comparison.state} {...(comparison.state === 'done' && { tone: 'good' })} />
            <Hint>{count(comparison.differences, 'difference')}</Hint>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
