import { Group, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import type { Provider } from '../../api/connections.ts';
import classes from '../../components/Choice.module.css';
import { Hint } from '../../components/Texts.tsx';
import { providers, shops } from './shops.ts';

interface ShopPickerProps {
  readonly selected: Provider | undefined;
  readonly onSelect: (provider: Provider) => void;
}

/** The shops as buttons. */
export function ShopPicker({ selected, onSelect }: ShopPickerProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs" role="group" aria-label="Shop">
      {providers.map((provider) => {
        const { name, description, icon: Icon } = shops[provider];
        return (
          <UnstyledButton
            key={provider}
            className={classes['choice'] ?? ''}
            // A button centres its content.
            display="flex"
            style={{ flexDirection: 'column' }}
            aria-pressed={provider === selected}
            onClick={() => onSelect(provider)}
          >
            <Group gap={8} wrap="nowrap">
              <Icon size={16} aria-hidden="true" />
              <Text fw={600}>{name}</Text>
            </Group>
            <Hint mt={2}>{description}</Hint>
          </UnstyledButton>
        );
      })}
    </SimpleGrid>
  );
}
