import { Checkbox, Group, Input, Paper, Radio, Stack, Text } from '@mantine/core';
import { type EventType, eventTypeGroups } from './event-types.ts';

type Subscription = readonly (EventType | '*')[];

interface EventTypesInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value: Subscription;
  readonly onChange: (value: Subscription) => void;
  readonly error?: React.ReactNode;
  readonly disabled?: boolean;
}

/** The types of events of a subscription: all of them, or the ticked ones. */
export function EventTypesInput({
  label,
  description,
  value,
  onChange,
  error,
  disabled = false,
}: EventTypesInputProps) {
  const isAll = value[0] === '*';
  return (
    <Stack gap="xs">
      <Radio.Group
        label={label}
        description={description}
        value={isAll ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? ['*'] : [])}
      >
        <Stack gap={8} mt={8}>
          <Radio value="all" label="All events, including types that are added later" disabled={disabled} />
          <Radio value="some" label="Only some events" disabled={disabled} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <Paper p="md" component="fieldset" m={0}>
          <legend className="visually-hidden">Types of events</legend>
          <Stack gap="md">
            {eventTypeGroups.map((group) => (
              <EventTypeGroup key={group.label} group={group} value={value} onChange={onChange} disabled={disabled} />
            ))}
          </Stack>
        </Paper>
      )}
      {error !== undefined && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}

interface EventTypeGroupProps extends Pick<EventTypesInputProps, 'value' | 'onChange'> {
  readonly group: (typeof eventTypeGroups)[number];
  readonly disabled: boolean;
}

function EventTypeGroup({ group, value, onChange, disabled }: EventTypeGroupProps) {
  const types = group.types.map(({ type }) => type);
  const chosen = types.filter((type) => value.includes(type));
  const others = value.filter((type) => type !== '*' && !types.includes(type));
  return (
    <Stack gap={8} role="group" aria-label={group.label}>
      <Checkbox
        label={<Text fw={600}>{group.label}</Text>}
        checked={chosen.length === types.length}
        indeterminate={chosen.length > 0 && chosen.length < types.length}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? [...others, ...types] : others)}
      />
      <Group gap={8} pl="lg">
        {group.types.map(({ type, meaning }) => (
          <Checkbox
            key={type}
            w="100%"
            label={<Text ff="monospace">{type}</Text>}
            description={meaning}
            checked={value.includes(type)}
            disabled={disabled}
            onChange={({ currentTarget }) => {
              const rest = value.filter((one) => one !== type && one !== '*');
              onChange(currentTarget.checked ? [...rest, type] : rest);
            }}
          />
        ))}
      </Group>
    </Stack>
  );
}
