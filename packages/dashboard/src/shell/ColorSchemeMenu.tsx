import '../styles/rest.css';
import { Menu, useMantineColorScheme } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Check } from '../icons/icons.gen.ts';
import { ColorSchemeTarget, schemes } from './ColorSchemeTarget.tsx';

/** The open menu that chooses the colour scheme. The choice applies to this browser. */
export default function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isOpen, setOpen] = useState(false);
  // Opened after the button has the focus again, so that the menu returns it.
  useEffect(() => setOpen(true), []);
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <ColorSchemeTarget autoFocus />
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
