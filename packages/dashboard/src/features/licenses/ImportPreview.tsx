import { Badge, Paper, Stack, Table, Text } from '@mantine/core';
import type { ImportResult } from '../../api/licenses.ts';
import { Section } from '../../components/Section.tsx';
import { count, formatNumber } from '../../lib/text.ts';

const shownMax = 200;

/** The columns of a file and its first rows, as the import reads them. */
export function FirstRows({ result }: { readonly result: ImportResult }) {
  const { columns = [], rows = [], errors } = result;
  const bad = new Set(errors.map(({ row }) => row));
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  return (
    <Stack gap="sm">
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          Columns
        </Text>
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 6 }}>
          {columns.map(({ name, imported }) => (
            <Badge key={name} color={imported ? 'accent' : 'gray'} ff="monospace">
              {imported ? name : `${name}: ignored`}
            </Badge>
          ))}
        </div>
      </Stack>
      <Paper>
        <Table.ScrollContainer
          minWidth={0}
          type="native"
          tabIndex={0}
          role="region"
          aria-label="Table of the first rows"
        >
          <Table>
            <caption className="visually-hidden">First rows</caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Row</Table.Th>
                <Table.Th>Check</Table.Th>
                {names.map((name) => (
                  <Table.Th key={name} ff="monospace">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ row, values }) => (
                <Table.Tr key={row} {...(bad.has(row) && { bg: 'var(--mantine-color-red-light)' })}>
                  <Table.Td className="tabular">{formatNumber(row)}</Table.Td>
                  <Table.Td>{bad.has(row) ? 'Invalid' : 'Valid'}</Table.Td>
                  {names.map((name) => (
                    <Table.Td key={name}>
                      <Text span inherit truncate maw={200} display="block" title={values[name]}>
                        {values[name] ?? ''}
                      </Text>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </Stack>
  );
}

interface BadRowsProps {
  readonly errors: readonly { readonly row: number; readonly field: string; readonly message: string }[];
}

/** Every bad row of a file with its reason. */
export function BadRows({ errors }: BadRowsProps) {
  if (errors.length === 0) return null;
  return (
    <Section title={count(errors.length, 'problem')}>
      <Paper>
        <Table.ScrollContainer minWidth={0} type="native">
          <Table>
            <caption className="visually-hidden">Problems of the file</caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={80}>Row</Table.Th>
                <Table.Th>Column</Table.Th>
                <Table.Th>Problem</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {errors.slice(0, shownMax).map(({ row, field, message }) => (
                <Table.Tr key={`${row} ${field} ${message}`}>
                  <Table.Td className="tabular">{row === 0 ? 'File' : formatNumber(row)}</Table.Td>
                  <Table.Td ff="monospace">{field}</Table.Td>
                  <Table.Td>{message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {errors.length > shownMax && (
        <Text size="sm" c="dimmed">
          The first {formatNumber(shownMax)} of {formatNumber(errors.length)} problems.
        </Text>
      )}
    </Section>
  );
}
