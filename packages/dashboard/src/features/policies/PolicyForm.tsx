import {
  ActionIcon,
  Alert,
  Button,
  Grid,
  Group,
  Input,
  NumberInput,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Entitlement, entitlementOptionsQuery, type Policy, type PolicyInput } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { ChevronRight, Plus, X } from '../../icons/icons.gen.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { AdvancedFields, BasicFields, DeviceFields, TermFields } from './PolicyFields.tsx';
import classes from './PolicyForm.module.css';
import { PolicySummary } from './PolicySummary.tsx';
import { TemplatePicker } from './TemplatePicker.tsx';
import { type PolicyTemplate, policyTemplates } from './templates.ts';
import { emptyLine, emptyPolicy, inputOf, type PolicyValues } from './values.ts';

interface PolicyFormProps {
  readonly initialValues: PolicyValues;
  readonly isNew: boolean;
  readonly template?: PolicyTemplate['id'] | undefined;
  readonly onTemplate?: (template: PolicyTemplate['id']) => void;
  readonly submitLabel: string;
  readonly submit: (input: PolicyInput, idempotencyKey: string) => Promise<Policy>;
  readonly onSaved: (policy: Policy) => unknown;
  readonly onCancel?: () => void;
}

/** The fields of a policy in sections, beside the sentence that says what they mean together. */
export function PolicyForm(props: PolicyFormProps) {
  const { initialValues, isNew, template, onTemplate, submitLabel, submit, onSaved, onCancel } = props;
  const surface = useSurface();
  const { data: entitlements } = useQuery(entitlementOptionsQuery(surface));
  const types = new Map(entitlements?.map(({ code, type }) => [code, type]));
  const resource = useResourceForm<PolicyValues, Policy>({
    initialValues,
    validate: {
      product_id: (id) => (id === '' ? 'Choose a product.' : null),
      entitlements: (lines) =>
        isNew && template === 'metered' && !lines.some(({ code }) => types.get(code) === 'metered')
          ? 'Add a metered entitlement.'
          : null,
    },
    submit: (values, idempotencyKey) => submit(inputOf(values, types), idempotencyKey),
    onSaved,
  });
  const { form } = resource;
  const choose = ({ id, name, values }: PolicyTemplate) => {
    const { product_id, name: ownName, code, entitlements: lines, key_prefix, metadata } = form.values;
    const metered = entitlements?.find(({ type }) => type === 'metered');
    const added = id === 'metered' && metered !== undefined && lines.length === 0;
    const isUnnamed = ownName === '' || policyTemplates.some((one) => one.name === ownName);
    form.setValues({
      ...emptyPolicy,
      ...values,
      product_id,
      key_prefix,
      metadata,
      name: isUnnamed ? name : ownName,
      code: isUnnamed ? id : code,
      entitlements: added ? [{ ...emptyLine(metered.code), limit: 1000 }] : lines,
    });
    onTemplate?.(id);
  };
  const isUnmetered =
    isNew &&
    template === 'metered' &&
    entitlements !== undefined &&
    !form.values.entitlements.some(({ code }) => types.get(code) === 'metered');
  return (
    <Grid gap="lg" align="flex-start">
      <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }} className={classes['summary'] ?? ''}>
        <PolicySummary values={form.values} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
        <ResourceFormBody resource={resource} submitLabel={submitLabel} {...(onCancel && { onCancel })}>
          <Stack gap="md">
            {isNew && (
              <Stack gap="xs">
                <TemplatePicker selected={template} onSelect={choose} />
                {isUnmetered && (
                  <Alert color="yellow" role="alert">
                    A metered license counts a quantity, but you have no metered entitlement yet.{' '}
                    <SurfaceLink to="/entitlements" search={{ panel: 'new' }} underline="always">
                      Create a metered entitlement
                    </SurfaceLink>{' '}
                    first, for example “Renders”. Without it, licenses would be valid forever on any number of devices.
                  </Alert>
                )}
              </Stack>
            )}
            <BasicFields form={form} isNew={isNew} />
            <TermFields form={form} />
            <DeviceFields form={form} />
            <EntitlementLines form={form} entitlements={entitlements} />
            <MoreFields form={form} />
          </Stack>
        </ResourceFormBody>
      </Grid.Col>
    </Grid>
  );
}

const rareFields = [
  'activation_overage_percent',
  'max_deactivations',
  'offline_ttl_seconds_max',
  'maintenance_days',
  'renewal_basis',
  'key_prefix',
  'metadata',
];

/** The fields that most people leave as they are, folded until somebody wants them or one of them is refused. */
function MoreFields({ form }: { readonly form: UseFormReturnType<PolicyValues> }) {
  const [isWanted, setWanted] = useState(false);
  const isOpen = isWanted || rareFields.some((field) => form.errors[field] !== undefined);
  return (
    <Section title="Updates, renewal and keys">
      <Button
        variant="default"
        aria-expanded={isOpen}
        leftSection={<ChevronRight size={14} aria-hidden="true" style={{ rotate: isOpen ? '90deg' : '0deg' }} />}
        onClick={() => setWanted(!isOpen)}
        style={{ alignSelf: 'flex-start' }}
      >
        {isOpen ? 'Fewer options' : 'More options'}
      </Button>
      {isOpen && <AdvancedFields form={form} />}
    </Section>
  );
}

interface EntitlementLinesProps {
  readonly form: UseFormReturnType<PolicyValues>;
  /** Undefined while they are loaded. */
  readonly entitlements: readonly Entitlement[] | undefined;
}

/** What every license of the policy includes, one line per entitlement. */
function EntitlementLines({ form, entitlements }: EntitlementLinesProps) {
  const lines = form.values.entitlements;
  const taken = new Set(lines.map(({ code }) => code));
  const left = entitlements?.filter(({ code }) => !taken.has(code)) ?? [];
  return (
    <Section
      title="Entitlements"
      description="Choose the features and quantities that every license includes."
      actions={
        left.length > 0 && (
          <ActionButton
            icon={Plus}
            label="Add entitlement"
            variant="default"
            onClick={() => form.insertListItem('entitlements', emptyLine(left[0]?.code))}
          />
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
          {form.errors['entitlements'] !== undefined && (
            <Input.Error role="alert">{form.errors['entitlements']}</Input.Error>
          )}
        </Stack>
      )}
    </Section>
  );
}

function Hint({ hasEntitlements }: { readonly hasEntitlements: boolean }) {
  return (
    <Text c="dimmed">
      {hasEntitlements ? (
        'This policy includes no entitlements.'
      ) : (
        <>
          This policy includes no entitlements. To sell features separately, create{' '}
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
