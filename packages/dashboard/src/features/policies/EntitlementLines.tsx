import { ActionIcon, Button, Group, NumberInput, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Plus, X } from 'lucide-react';
import type { Entitlement } from '../../api/entitlements.ts';
import { Section } from '../../components/Section.tsx';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { emptyLine, type PolicyValues } from './values.ts';

interface EntitlementLinesProps {
  readonly form: UseFormReturnType<PolicyValues>;
  /** Undefined while they are loaded. */
  readonly entitlements: readonly Entitlement[] | undefined;
}

/** What every license of the policy includes, one line per entitlement. */
export function EntitlementLines({ form, entitlements }: EntitlementLinesProps) {
  const lines = form.values.entitlements;
  const taken = new Set(lines.map(({ code }) => code));
  const left = entitlements?.filter(({ code }) => !taken.has(code)) ?? [];
  return (
    <Section
      title="Entitlements"
      description="The features and quantities that every license includes."
      actions={
        left.length > 0 && (
          <Button
            variant="default"
            leftSection={<Plus size={14} aria-hidden="true" />}
            onClick={() => form.insertListItem('entitlements', emptyLine(left[0]?.code))}
          >
            Add entitlement
          </Button>
        )
      }
    >
      {entitlements === undefined ? (
        <Skeleton h={36} />
      ) : (
        <Stack gap="sm">
          {lines.map((line, index) => (
            <Line
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its place.
              key={index}
              form={form}
              index={index}
              entitlements={entitlements.filter(({ code }) => code === line.code || !taken.has(code))}
              type={entitlements.find(({ code }) => code === line.code)?.type}
            />
          ))}
          {lines.length === 0 && <Hint hasEntitlements={entitlements.length > 0} />}
        </Stack>
      )}
    </Section>
  );
}

function Hint({ hasEntitlements }: { readonly hasEntitlements: boolean }) {
  return (
    <Text size="md" c="dimmed">
      {hasEntitlements ? (
        'Nothing besides the product itself.'
      ) : (
        <>
          Nothing besides the product itself. To sell features separately, define{' '}
          <SurfaceLink to="/entitlements" underline="always">
            entitlements
          </SurfaceLink>{' '}
          first.
        </>
      )}
    </Text>
  );
}

interface LineProps {
  readonly form: UseFormReturnType<PolicyValues>;
  readonly index: number;
  readonly entitlements: readonly Entitlement[];
  readonly type: Entitlement['type'] | undefined;
}

function Line({ form, index, entitlements, type }: LineProps) {
  const path = `entitlements.${index}`;
  const label = `Entitlement ${index + 1}`;
  return (
    <Group gap="xs" align="flex-end" role="group" aria-label={label}>
      <Select
        label={label}
        data={entitlements.map(({ code, name }) => ({ value: code, label: `${name} (${code})` }))}
        searchable
        allowDeselect={false}
        flex="2 1 200px"
        {...form.getInputProps(`${path}.code`)}
      />
      {type === 'value' && <TextInput label="Value" flex="1 1 120px" {...form.getInputProps(`${path}.value`)} />}
      {type === 'metered' && <MeteredFields form={form} path={path} />}
      {type === 'boolean' && (
        <Text size="sm" c="dimmed" flex="1 1 120px" pb={8}>
          Switched on
        </Text>
      )}
      <ActionIcon size={36} aria-label={`Remove ${label}`} onClick={() => form.removeListItem('entitlements', index)}>
        <X size={16} aria-hidden="true" />
      </ActionIcon>
    </Group>
  );
}

function MeteredFields({ form, path }: { readonly form: UseFormReturnType<PolicyValues>; readonly path: string }) {
  return (
    <>
      <NumberInput
        label="Limit"
        placeholder="Unlimited"
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        flex="1 1 100px"
        {...form.getInputProps(`${path}.limit`)}
      />
      <Select
        label="Reset"
        data={[
          { value: 'none', label: 'Never' },
          { value: 'day', label: 'Every day' },
          { value: 'week', label: 'Every week' },
          { value: 'month', label: 'Every month' },
          { value: 'year', label: 'Every year' },
        ]}
        allowDeselect={false}
        flex="1 1 120px"
        {...form.getInputProps(`${path}.reset`)}
      />
      <Select
        label="Overage"
        data={[
          { value: 'deny', label: 'Refused' },
          { value: 'allow', label: 'Counted' },
        ]}
        allowDeselect={false}
        flex="1 1 110px"
        {...form.getInputProps(`${path}.overage`)}
      />
    </>
  );
}
