import { Avatar, Group, Kbd, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useContext } from 'react';
import { ActionItem } from '../components/MoreActions.tsx';
import {
  BookOpenText,
  Check,
  ChevronsUpDown,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Sun,
  UserRound,
} from '../icons/icons.gen.ts';
import { logOut } from './log-out.ts';
import { useMe } from './SignedIn.tsx';
import { SurfaceContext } from './surface-context.ts';
import classes from './TopButton.module.css';

const schemes = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'auto', label: 'Same as system', icon: Monitor },
] as const;

/** The user menu: account, documentation, keyboard shortcuts, colour scheme, and logout. */
export function PersonMenu({ onShowShortcuts }: { readonly onShowShortcuts: () => void }) {
  const me = useMe();
  const area = useContext(SurfaceContext)?.area ?? me.ability;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const person = me.user ?? me.admin;
  const name = person?.name ?? 'Access token';
  return (
    <Menu position="top-start" width={232}>
      <Menu.Target>
        <UnstyledButton className={classes['button']}>
          <span className="visually-hidden">Your menu, </span>
          <Group gap={8} wrap="nowrap">
            <Avatar size={26} radius="xl" color="accent" name={name} aria-hidden="true" />
            <div style={{ minWidth: 0, flex: 1 }}>
              <Text size="sm" fw={500} truncate>
                {name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {person?.email}
              </Text>
            </div>
            <ChevronsUpDown size={14} aria-hidden="true" />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to={area === 'admin' ? '/admin/account' : '/account'}
          leftSection={<UserRound size={15} aria-hidden="true" />}
        >
          Account
        </Menu.Item>
        <Menu.Item component="a" href="/docs/" leftSection={<BookOpenText size={15} aria-hidden="true" />}>
          Guides
        </Menu.Item>
        <Menu.Item
          leftSection={<Keyboard size={15} aria-hidden="true" />}
          rightSection={<Kbd size="xs">?</Kbd>}
          onClick={onShowShortcuts}
        >
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Color scheme</Menu.Label>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={15} aria-hidden="true" />}
            rightSection={colorScheme === value && <Check size={15} aria-label="Chosen" />}
            onClick={() => setColorScheme(value)}
            closeMenuOnClick={false}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <ActionItem icon={LogOut} label="Log out" onClick={() => void logOut(area)} />
      </Menu.Dropdown>
    </Menu>
  );
}
