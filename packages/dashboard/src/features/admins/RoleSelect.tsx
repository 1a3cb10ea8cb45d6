import { Group, Select, type SelectProps, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AdminRoleView, adminRolesQuery } from '../../api/users.ts';
import { words } from '../../lib/text.ts';

const areas = [
  ['platform', 'Platform and tenants'],
  ['billing', 'Billing'],
  ['admins', 'Admins'],
] as const satisfies readonly (readonly [keyof AdminRoleView['rights'], string])[];

const accessTexts = { none: 'no', read: 'reads', write: 'changes' } as const;

/** A field for an admin's role. Each role says what it may do, as the service states it. */
export function RoleSelect(props: Omit<SelectProps, 'data'>) {
  const { data: roles = [] } = useQuery(adminRolesQuery());
  const chosen = roles.find(({ role }) => role === props.value);
  return (
    <Select
      label="Role"
      allowDeselect={false}
      data={roles.map(({ role }) => ({ value: role, label: words(role) }))}
      maxDropdownHeight={420}
      // Inside the dialog, so that its content is part of a landmark.
      comboboxProps={{ withinPortal: false }}
      {...(chosen && { description: <RoleText role={chosen} />, inputWrapperOrder: ['label', 'input', 'description'] })}
      renderOption={({ option }) => (
        <div>
          <Text size="sm" fw={500}>
            {option.label}
          </Text>
          <Text size="xs" c="dimmed">
            {roles.find(({ role }) => role === option.value)?.description}
          </Text>
        </div>
      )}
      {...props}
      // Without the roles the field has no text for its value.
      disabled={roles.length === 0}
    />
  );
}

/** What the chosen role may do: the sentence, and the access to each area. */
function RoleText({ role: { description, rights } }: { readonly role: AdminRoleView }) {
  return (
    <>
      {description}
      <Group component="span" gap="md" mt={4}>
        {areas.map(([area, label]) => (
          <span key={area}>
            {label}: <b>{accessTexts[rights[area]]}</b>
          </span>
        ))}
      </Group>
    </>
  );
}
