import { Button, Group, Text } from '@mantine/core';
import { type Connection, connectionsKey } from '../../api/connections.ts';
import { licensesKey } from '../../api/licenses.ts';
import { applySale, type Sale } from '../../api/sales.ts';
import { RunButton } from '../../components/RunButton.tsx';
import { useAction } from '../../components/use-action.ts';
import { RotateCw } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { connectionSearch } from './search.ts';
import { buyerName } from './words.ts';

interface SaleProblemProps {
  readonly connection: Connection;
  readonly sale: Sale;
}

/** Why a sale and its licenses do not match. */
export function SaleProblemText({ sale: { problem } }: Pick<SaleProblemProps, 'sale'>) {
  if (problem === null) return null;
  return (
    <Text span size="sm" style={{ whiteSpace: 'normal' }}>
      {problem.message}
    </Text>
  );
}

/** What solves the problem of a sale: the offer that it lacks, or another attempt. */
export function SaleProblemActions({ connection, sale }: SaleProblemProps) {
  const surface = useSurface();
  const [, change] = useFilters(connectionSearch);
  const apply = useAction({
    run: () => applySale(surface, connection.id, sale.id),
    invalidates: [connectionsKey(surface), licensesKey(surface)],
  });
  if (sale.problem === null || !allows(surface, 'connections', 'act')) return null;
  const unmapped = sale.items.find(({ offer_id }) => offer_id === null);
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {unmapped === undefined ? (
        <RunButton
          action={apply}
          size="xs"
          variant="default"
          leftSection={<RotateCw size={13} aria-hidden="true" />}
          aria-label={`Apply the sale of ${buyerName(sale.buyer)}`}
        >
          Apply
        </RunButton>
      ) : (
        <Button
          size="xs"
          variant="default"
          aria-label={`Map ${unmapped.external_id}`}
          onClick={() =>
            void change({ tab: 'offers', item: unmapped.external_id, sale: undefined, problem: undefined })
          }
        >
          Map
        </Button>
      )}
    </Group>
  );
}
