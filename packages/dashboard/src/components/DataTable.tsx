import { Box, Paper, Skeleton, Table, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useDeferredValue } from 'react';
import { toProblem } from '../api/problem.ts';
import { classNames } from '../lib/class-names.ts';
import { PathLink } from '../shell/PathLink.tsx';
import classes from './DataTable.module.css';
import { EmptyState, type EmptyStateProps } from './EmptyState.tsx';
import { ErrorState } from './ErrorState.tsx';
import { ListPages, type PageMeta } from './ListPages.tsx';
import { SelectAll, type Selection, SelectRow } from './RowSelection.tsx';
import { TimeText } from './TimeText.tsx';

/** Mantine's class of what narrow windows leave out. */
const secondary = 'mantine-visible-from-xs';

/** One column of a table. */
export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'left' | 'right';
  /** Leaves the column out of narrow windows; the row's page shows the value. */
  readonly isSecondary?: boolean;
  /** Hides the header from sight, for a column of buttons. */
  readonly isHeaderHidden?: boolean;
  readonly width?: number | string;
}

/** Returns the last column of a list: the buttons of its rows. */
export function actionsColumn<Row>(cell: Column<Row>['cell'], rest: Partial<Column<Row>> = {}): Column<Row> {
  return { header: 'Actions', isHeaderHidden: true, align: 'right', cell, ...rest };
}

type TimeTextProps = Parameters<typeof TimeText>[0];

/** Returns a column with a time. */
export function timeColumn<Row>(
  header: string,
  timeOf: (row: Row) => TimeTextProps['value'],
  { format = 'time', fallback = '—', ...rest }: Omit<TimeTextProps, 'value'> & Partial<Column<Row>> = {},
): Column<Row> {
  return { header, cell: (row) => <TimeText value={timeOf(row)} format={format} fallback={fallback} />, ...rest };
}

/** One page of a list as the API returns it. */
export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly meta: PageMeta;
}

export interface DataTableProps<Row> {
  /** What the table lists; screen readers announce it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly query: Pick<UseQueryResult<ListPage<Row>>, 'data' | 'error' | 'refetch' | 'isPlaceholderData'>;
  /** What identifies a row; its `id` unless given. */
  readonly rowKey?: (row: Row) => string;
  /** The path of the row's page, as a real URL path. The first cell becomes a link to it. */
  readonly rowPath?: (row: Row) => string;
  /** What to show instead of a table without rows: a sentence where the table is a part of a page. */
  readonly empty: EmptyStateProps | string | null;
  readonly skeletonRows?: number;
  /** Which rows the person has chosen; absent if rows cannot be chosen. */
  readonly selection?: Selection<Row> | undefined;
}

// The overloads let only rows with an `id` go without `rowKey`.
function idOf(row: unknown): string {
  return (row as { readonly id: string }).id;
}

/** A list of one page, with the states that every list has: loading, empty, failed, and further pages. */
export function DataTable<Row extends { readonly id: string }>(props: DataTableProps<Row>): ReactNode;
export function DataTable<Row>(props: DataTableProps<Row> & Required<Pick<DataTableProps<Row>, 'rowKey'>>): ReactNode;
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { query, empty, columns, caption, rowKey = idOf, skeletonRows = 8, selection } = props;
  // A page of rows takes long to render; deferred, React pauses for input meanwhile.
  const page = useDeferredValue(query.data);
  if (query.error !== null && query.data === undefined) {
    return <ErrorState problem={toProblem(query.error)} onRetry={() => void query.refetch()} />;
  }
  const rows = page?.data;
  if (rows?.length === 0) {
    return (
      <Paper>
        <Nothing empty={empty} />
      </Paper>
    );
  }
  return (
    <Box>
      <Paper
        className={classes['frame'] ?? ''}
        aria-busy={rows === undefined || query.isPlaceholderData}
        mod={{ outdated: query.isPlaceholderData }}
      >
        <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="group" aria-label={caption}>
          <Table className={classes['table'] ?? ''}>
            <caption className="visually-hidden">{caption}</caption>
            <Table.Thead>
              <Table.Tr>
                {selection !== undefined && (
                  <Table.Th w={36} pr={0}>
                    <SelectAll selection={selection} rows={rows ?? []} keyOf={rowKey} />
                  </Table.Th>
                )}
                {columns.map((column) => (
                  <Table.Th
                    key={column.header}
                    ta={column.align ?? 'left'}
                    w={column.width}
                    {...(column.isSecondary && { visibleFrom: 'xs' })}
                  >
                    <span className={column.isHeaderHidden ? 'visually-hidden' : undefined}>{column.header}</span>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <tbody>
              {rows === undefined ? (
                <SkeletonRows columns={columns} rows={skeletonRows} isSelectable={selection !== undefined} />
              ) : (
                rows.map((row) => <DataRow key={rowKey(row)} row={row} id={rowKey(row)} {...props} />)
              )}
            </tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {page !== undefined && <ListPages rows={page.data.length} meta={page.meta} />}
    </Box>
  );
}

function Nothing({ empty }: Pick<DataTableProps<never>, 'empty'>) {
  if (empty === null) return null;
  if (typeof empty !== 'string') return <EmptyState {...empty} />;
  return (
    <Text p="md" c="dimmed">
      {empty}
    </Text>
  );
}

interface SkeletonRowsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: number;
  readonly isSelectable: boolean;
}

function SkeletonRows<Row>({ columns, rows, isSelectable }: SkeletonRowsProps<Row>) {
  return Array.from({ length: rows }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move.
    <tr key={index}>
      {isSelectable && <td />}
      {columns.map(({ header, isSecondary, align }) => (
        <td key={header} className={isSecondary ? secondary : undefined}>
          <Skeleton h={14} w={`${50 + ((index * 17 + header.length * 7) % 40)}%`} ml={align === 'right' ? 'auto' : 0} />
        </td>
      ))}
    </tr>
  ));
}

function isOnControl(event: MouseEvent): boolean {
  return event.target instanceof Element && event.target.closest('a, button, input, label, [role="menuitem"]') !== null;
}

interface DataRowProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'rowPath' | 'selection'> {
  readonly row: Row;
  readonly id: string;
}

/** One row. Its elements are the browser's own: a page has hundreds, and each of Mantine's parses its style properties. */
function DataRow<Row>({ row, id, columns, rowPath, selection }: DataRowProps<Row>) {
  const navigate = useNavigate();
  const path = rowPath?.(row);
  const open = (event: MouseEvent) => {
    if (path === undefined || isOnControl(event) || window.getSelection()?.toString()) return;
    void navigate({ to: path } as object);
  };
  return (
    <tr
      onClick={open}
      className={classNames(classes['row'], path !== undefined && classes['linked'])}
      aria-selected={selection?.selected.has(id)}
    >
      {selection !== undefined && (
        <td className={classes['choice']}>
          <SelectRow selection={selection} row={row} id={id} />
        </td>
      )}
      {columns.map((column, index) => (
        <td
          key={column.header}
          className={classNames(column.align === 'right' && classes['right'], column.isSecondary && secondary)}
        >
          {index === 0 && path !== undefined ? (
            <PathLink to={path} className={classes['link']}>
              {column.cell(row)}
            </PathLink>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}
