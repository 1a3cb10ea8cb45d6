import { ActionIcon, type ActionIconProps, useMantineColorScheme } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Monitor, Moon, Sun } from '../icons/icons.gen.ts';

/** The colour schemes that a person can choose. */
export const schemes = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'auto', label: 'Like the system', icon: Monitor },
] as const;

/** The button of the menu of colour schemes, with the icon of the chosen one. */
export function ColorSchemeTarget(props: ActionIconProps & ComponentProps<'button'>) {
  const { colorScheme } = useMantineColorScheme();
  const Icon = schemes.find(({ value }) => value === colorScheme)?.icon ?? Monitor;
  return (
    <ActionIcon aria-label="Color scheme" aria-haspopup="menu" size="lg" {...props}>
      <Icon size={17} aria-hidden="true" />
    </ActionIcon>
  );
}
