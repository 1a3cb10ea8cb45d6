import { Select, type SelectProps, Text } from '@mantine/core';
import { words } from '../../lib/text.ts';
import { adminRoles, roleMeanings } from './search.ts';

const data = adminRoles.map((role) => ({ value: role, label: words(role) }));

/** A field for an admin's role, with the meaning of each. */
export function RoleSelect(props: Omit<SelectProps, 'data'>) {
  return (
    <Select
      label="Role"
      allowDeselect={false}
      data={data}
      renderOption={({ option }) => (
        <div>
          <Text size="sm" fw={500}>
            {option.label}
          </Text>
          <Text size="xs" c="dimmed">
            {roleMeanings[adminRoles.find((role) => role === option.value) ?? 'admin']}
          </Text>
        </div>
      )}
      {...props}
    />
  );
}
