import { Badge, Paper, Stack, Table, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type ImportResult, isNdjson } from '../../api/licenses.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { Download } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { type FileRows, refusedFile, rowsOf } from './import-file.ts';

const shownMax = 200;
const refusedTint = 'color-mix(in srgb, var(--mantine-color-red-light) 50%, transparent)';

/** The columns of a file and its first rows, as the import reads them. */
export function FirstRows({ result, file }: { readonly result: ImportResult; readonly file: File | null }) {
  const { columns = [], rows = [], errors } = result;
  const fileRows = useFileRows(file, rows.length > 0);
  const bad = new Set(errors.map(({ row }) => row));
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  return (
    <Stack gap="sm">
      <Stack gap={4}>
        <Hint>Columns</Hint>
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
                <Table.Th>{fileRows === null ? 'Row' : 'Line'}</Table.Th>
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
                <Table.Tr key={row} {...(bad.has(row) && { bg: refusedTint })}>
                  <Table.Td className="tabular">{placeOf(row, fileRows)}</Table.Td>
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
  /** The file that the person chose; null after the page was loaded again. */
  readonly file: File | null;
}

/** Every bad row of a file with its line and its reasons, and the file of these rows to correct. */
export function BadRows({ errors, file }: BadRowsProps) {
  const fileRows = useFileRows(file, errors.length > 0);
  if (errors.length === 0) return null;
  const isRow = errors.some(({ row }) => row > 0);
  return (
    <Section
      title={count(errors.length, 'problem')}
      actions={
        fileRows !== null &&
        isRow && (
          <ActionButton
            icon={Download}
            label="Download refused rows"
            variant="default"
            onClick={() => {
              const isNdjsonFile = file !== null && isNdjson(file);
              saveFile(new Blob([refusedFile(fileRows, errors)]), `refused.${isNdjsonFile ? 'ndjson' : 'csv'}`);
            }}
          />
        )
      }
    >
      <Paper>
        <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label="Table of the problems">
          <Table>
            <caption className="visually-hidden">Problems of the file</caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={{ base: 'auto', sm: 80 }}>{fileRows === null ? 'Row' : 'Line'}</Table.Th>
                <Table.Th>Column</Table.Th>
                <Table.Th>Problem</Table.Th>
                {fileRows !== null && <Table.Th visibleFrom="sm">Content</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {errors.slice(0, shownMax).map(({ row, field, message }) => (
                <Table.Tr key={`${row} ${field} ${message}`} bg={refusedTint}>
                  <Table.Td className="tabular">{placeOf(row, fileRows)}</Table.Td>
                  <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                    {field}
                  </Table.Td>
                  <Table.Td miw={{ base: 110, sm: 200 }}>{message}</Table.Td>
                  {fileRows !== null && (
                    <Table.Td visibleFrom="sm">
                      <Text span ff="monospace" size="sm" truncate maw={320} display="block">
                        {fileRows.rows[row - 1]?.text ?? ''}
                      </Text>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {errors.length > shownMax && (
        <Hint>
          The first {formatNumber(shownMax)} of {formatNumber(errors.length)} problems.
        </Hint>
      )}
    </Section>
  );
}

function placeOf(row: number, fileRows: FileRows | null): string {
  if (row === 0) return 'File';
  return formatNumber(fileRows?.rows[row - 1]?.line ?? row);
}

/** Returns the rows of a chosen file, once they are read; the browser reads the file only if it is needed. */
function useFileRows(file: File | null, isNeeded: boolean): FileRows | null {
  const [read, setRead] = useState<{ readonly file: File; readonly rows: FileRows } | null>(null);
  useEffect(() => {
    if (file === null || !isNeeded) return;
    let isCurrent = true;
    const take = (text: string) => {
      if (isCurrent) setRead({ file, rows: rowsOf(text, isNdjson(file)) });
    };
    // A file that was deleted or changed meanwhile cannot be read: the problems are shown without its lines.
    file.text().then(take, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [file, isNeeded]);
  return read !== null && read.file === file ? read.rows : null;
}
