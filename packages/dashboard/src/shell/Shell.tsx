import { ActionIcon, AppShell, Box, Burger, Group, Kbd, Modal, Table, Text } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Search } from '../icons/icons.gen.ts';
import { CommandPalette } from './CommandPalette.tsx';
import { NavigationList } from './NavigationList.tsx';
import type { NavigationGroup } from './navigation.ts';
import { PaletteButton } from './PaletteButton.tsx';
import { PersonMenu } from './PersonMenu.tsx';
import { modifierKey, openPalette } from './palette.ts';
import { ScreenTabs } from './ScreenTabs.tsx';
import classes from './Shell.module.css';
import { StaleBanner } from './StaleBanner.tsx';

interface ShellProps {
  readonly groups: readonly NavigationGroup[];
  /** What the top of the navigation shows: the tenant switcher or the area's name. */
  readonly top: ReactNode;
  /** A line above every screen. */
  readonly banner?: ReactNode;
  /** Whether the children replace the screens, so that their tabs lead nowhere. */
  readonly isClosed?: boolean;
  readonly children: ReactNode;
}

/** Mantine's `sm` breakpoint, from which the navigation stays in sight. */
const wide = '(min-width: 48em)';

/** The frame of every screen: navigation, command palette, and the person's menu. */
export function Shell({ groups, top, banner, isClosed = false, children }: ShellProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  // What a window hides is not rendered, which saves a phone a part of the first screen.
  const isWide = useMediaQuery(wide, true, { getInitialValueInEffect: false });
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path closes the navigation of a narrow screen.
  useEffect(close, [pathname]);
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      transitionDuration={120}
    >
      <a href="#main" className={classes['skip']}>
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes['header']}>
        {!isWide && (
          <Group h="100%" px="sm" justify="space-between" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={isOpen} />
            <Box style={{ minWidth: 0, flex: 1 }}>{!isOpen && top}</Box>
            <ActionIcon size="lg" aria-label="Search" onClick={openPalette}>
              <Search size={17} aria-hidden="true" />
            </ActionIcon>
          </Group>
        )}
      </AppShell.Header>
      <AppShell.Navbar className={classes['navbar']}>
        {(isWide || isOpen) && (
          <>
            <AppShell.Section p="sm" pb={8}>
              <Group wrap="nowrap" gap={4}>
                <Box style={{ minWidth: 0, flex: 1 }}>{top}</Box>
                <Burger hiddenFrom="sm" opened={isOpen} onClick={toggle} size="sm" aria-label="Close the navigation" />
              </Group>
              <PaletteButton />
            </AppShell.Section>
            <AppShell.Section grow px="sm" className={classes['pages']}>
              <nav aria-label="Main">
                <NavigationList groups={groups} />
              </nav>
            </AppShell.Section>
            <AppShell.Section p="sm" className={classes['bottom']}>
              <PersonMenu onShowShortcuts={help.open} />
            </AppShell.Section>
          </>
        )}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes['main']}>
        <StaleBanner />
        {banner}
        <Box className={classes['content']}>
          {!isClosed && <ScreenTabs groups={groups} />}
          {children}
        </Box>
      </AppShell.Main>
      <CommandPalette groups={groups} />
      <KeyboardHelp isOpen={isHelpOpen} onOpen={help.open} onClose={help.close} />
    </AppShell>
  );
}

const shortcuts = [
  { keys: [modifierKey, 'K'], meaning: 'Search pages, licenses and actions' },
  { keys: ['?'], meaning: 'Show this list' },
  { keys: ['Esc'], meaning: 'Close a dialog, a menu or the search' },
  { keys: ['↑', '↓'], meaning: 'Move through a menu or results' },
  { keys: ['Enter'], meaning: 'Open the selected result' },
] as const;

interface KeyboardHelpProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** The list of keyboard shortcuts. The question mark opens it, outside text fields. */
function KeyboardHelp({ isOpen, onOpen, onClose }: KeyboardHelpProps) {
  useHotkeys([
    // Layouts have the character on different keys, with and without Shift.
    ['shift + ?', onOpen],
    ['?', onOpen],
  ]);
  return (
    <Modal opened={isOpen} onClose={onClose} title={<Text fw={600}>Keyboard shortcuts</Text>}>
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
