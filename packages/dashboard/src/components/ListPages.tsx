import { Button, Group } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { formatNumber } from '../lib/text.ts';
import { Hint } from './Texts.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** How many rows of the list come before the page. A link to a page does not say it. */
    readonly rowsBefore?: number;
  }
}

/** What the API says of a page. */
export interface PageMeta {
  readonly next_cursor: string | null;
  /** The number of all rows of an unfiltered list, if the service knows it. */
  readonly total?: number | null;
}

interface ListPagesProps {
  /** The number of rows of the page. */
  readonly rows: number;
  readonly meta: PageMeta;
}

/** Pagination, and which rows the page has. The cursor is in the URL, so Back returns to the page before. */
export function ListPages({ rows, meta }: ListPagesProps) {
  const navigate = useNavigate();
  const rowsBefore = useRouterState({ select: ({ location }) => location.state.rowsBefore });
  const cursor = new URLSearchParams(window.location.search).get('cursor');
  const before = cursor === null ? 0 : rowsBefore;
  const { next_cursor: nextCursor, total = null } = meta;
  const go = (to: string | undefined, state: { readonly rowsBefore?: number }) =>
    navigate({ to: '.', search: (search: Record<string, unknown>) => ({ ...search, cursor: to }), state } as object);
  const hasPages = nextCursor !== null || cursor !== null;
  const text = countText({ rows, before, total, hasMore: nextCursor !== null });
  if (!hasPages && text === '') return null;
  return (
    <Group justify="space-between" gap="xs" mt="sm" mih={30}>
      <Hint className="tabular" role="status">
        {text}
      </Hint>
      {hasPages && (
        <Group component="nav" aria-label="Pages" gap="xs">
          <Button size="xs" variant="default" disabled={cursor === null} onClick={() => void go(undefined, {})}>
            First page
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={nextCursor === null}
            onClick={() => void go(nextCursor ?? undefined, before === undefined ? {} : { rowsBefore: before + rows })}
          >
            Next page
          </Button>
        </Group>
      )}
    </Group>
  );
}

interface Counted {
  readonly rows: number;
  /** Undefined: the page was opened by a link, which does not say it. */
  readonly before: number | undefined;
  readonly total: number | null;
  readonly hasMore: boolean;
}

/** Returns which rows a page has: `1–25 of 53`, or `25 or more` where the service does not know how many there are. */
export function countText({ rows, before, total, hasMore }: Counted): string {
  if (before === undefined) return total === null ? '' : `${formatNumber(rows)} of ${formatNumber(total)}`;
  const end = before + rows;
  const range = `${formatNumber(before + 1)}–${formatNumber(end)}`;
  // A list of one page shows all of its rows.
  if (!hasMore) return before === 0 && total === null ? '' : `${range} of ${formatNumber(end)}`;
  if (total !== null && total >= end) return `${range} of ${formatNumber(total)}`;
  return before === 0 ? `${formatNumber(end)} or more` : `${range} of ${formatNumber(end)} or more`;
}
