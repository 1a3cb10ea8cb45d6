import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Check, Monitor, Moon, Sun } from 'lucide-react';

const schemes = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'auto', label: 'Like the system', icon: Monitor },
] as const;

/** A menu that chooses the colour scheme. The choice applies to this browser. */
export default function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = schemes.find(({ value }) => value === colorScheme)?.icon ?? Monitor;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label="Color scheme" size="lg">
          <Icon size={17} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: SchemeIcon }) => (
          <Menu.Item
            key={value}
            leftSection={<SchemeIcon size={15} aria-hidden="true" />}
            rightSection={colorScheme === value && <Check size={15} aria-label="Chosen" />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
