import { Radio, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Member } from '../../api/members.ts';
import { roles } from './roles.ts';

interface RoleInputProps {
  readonly value: Member['role'];
  readonly onChange: (role: Member['role']) => void;
  readonly error?: ReactNode;
}

/** Chooses a role; each role explains itself. */
export function RoleInput({ value, onChange, error }: RoleInputProps) {
  const choose = (chosen: string) => {
    const role = roles.find((one) => one.role === chosen)?.role;
    if (role !== undefined) onChange(role);
  };
  return (
    <Radio.Group label="Role" value={value} onChange={choose} error={error}>
      <Stack gap="xs" mt={6}>
        {roles.map(({ role, label, meaning }) => (
          <Radio.Card key={role} value={role} radius="md" p="sm" aria-label={label} aria-description={meaning}>
            <div style={{ display: 'flex', gap: 12 }}>
              <Radio.Indicator mt={2} />
              <div>
                <Text size="md" fw={500}>
                  {label}
                </Text>
                <Text size="sm" c="dimmed">
                  {meaning}
                </Text>
              </div>
            </div>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  );
}
