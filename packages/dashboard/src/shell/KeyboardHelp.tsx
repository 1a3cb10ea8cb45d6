import { Group, Kbd, Modal, Table, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { modifierKey } from './palette.ts';

const shortcuts = [
  { keys: [modifierKey, 'K'], meaning: 'Search pages, licenses and actions' },
  { keys: ['?'], meaning: 'Show this list' },
  { keys: ['Esc'], meaning: 'Close a dialog, a menu or the search' },
  { keys: ['↑', '↓'], meaning: 'Move in a menu or in results' },
  { keys: ['Enter'], meaning: 'Open the selected entry' },
] as const;

interface KeyboardHelpProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** The list of keyboard shortcuts. The question mark opens it, outside text fields. */
export function KeyboardHelp({ isOpen, onOpen, onClose }: KeyboardHelpProps) {
  useHotkeys([
    // Layouts have the character on different keys, with and without Shift.
    ['shift + ?', onOpen],
    ['?', onOpen],
  ]);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>Keyboard shortcuts</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Table captionSide="top" verticalSpacing={8}>
        <Table.Caption className="visually-hidden">Keyboard shortcuts</Table.Caption>
        <Table.Thead className="visually-hidden">
          <Table.Tr>
            <Table.Th>Keys</Table.Th>
            <Table.Th>Meaning</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shortcuts.map(({ keys, meaning }) => (
            <Table.Tr key={meaning}>
              <Table.Td w={120}>
                <Group gap={4} wrap="nowrap">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
