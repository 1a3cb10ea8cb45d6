import { Box, List, Stack, Table, Text } from '@mantine/core';
import type { BulkOperation, BulkPreview } from '../../api/bulk.ts';
import { count, formatNumber, truncateMiddle } from '../../lib/text.ts';
import { holderName } from '../licenses/columns.tsx';
import { OfflineNotice } from './OfflineNotice.tsx';
import { ChangedValue, fieldName } from './words.tsx';

/** What an operation would do: how many licenses change, which cannot and why, and a few examples. */
export function PreviewOf({ preview }: { readonly preview: BulkPreview }) {
  const { changed, unchanged, examples } = preview;
  return (
    <Stack gap="sm" role="status">
      <Text>
        {changed === 0 ? 'No license will change. ' : <b>{count(changed, 'license')}</b>}
        {changed > 0 && ' will change. '}
        {unchanged > 0 && `${count(unchanged, 'license')} already ${unchanged === 1 ? 'has' : 'have'} these values. `}
        {changed > 0 && 'You can undo this until its records are deleted with the audit log.'}
      </Text>
      {changed > 0 && preview.offline_until !== null && (
        <Text>
          <OfflineNotice preview={preview} />
        </Text>
      )}
      <Refusals refusals={preview.refusals} refused={preview.refused} verb="cannot be" />
      {examples.length > 0 && <Examples examples={examples} />}
    </Stack>
  );
}

interface RefusalsProps extends Pick<BulkOperation, 'refusals' | 'refused'> {
  /** Before the operation, or after it. */
  readonly verb: 'cannot be' | 'could not be';
}

/** Why licenses were not changed, with their numbers. */
export function Refusals({ refusals, refused, verb }: RefusalsProps) {
  if (refused === 0) return null;
  return (
    <Box>
      <Text>{`${count(refused, 'license')} ${verb} changed:`}</Text>
      <List size="sm" c="dimmed">
        {refusals.map(({ message, count: licenses }) => (
          <List.Item key={message}>{`${formatNumber(licenses)} × ${message}`}</List.Item>
        ))}
      </List>
    </Box>
  );
}

function Examples({ examples }: Pick<BulkPreview, 'examples'>) {
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="group" aria-label="Examples">
      <Table>
        <caption className="visually-hidden">Examples</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>License</Table.Th>
            <Table.Th>Now</Table.Th>
            <Table.Th>Then</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {examples.map(({ license_id, key, holder, changes }) =>
            changes.map(({ field, old, new: next }, index) => (
              <Table.Tr key={`${license_id} ${field}`}>
                <Table.Td>{index === 0 ? (holderName(holder) ?? truncateMiddle(key, 19)) : ''}</Table.Td>
                <Table.Td>
                  <Text span size="xs" c="dimmed">{`${fieldName(field)}: `}</Text>
                  <ChangedValue field={field} value={old} />
                </Table.Td>
                <Table.Td>
                  <ChangedValue field={field} value={next} />
                </Table.Td>
              </Table.Tr>
            )),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
