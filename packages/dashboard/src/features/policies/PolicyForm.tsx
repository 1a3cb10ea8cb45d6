import { Box, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { entitlementOptionsQuery } from '../../api/entitlements.ts';
import type { Policy, PolicyInput } from '../../api/policies.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { EntitlementLines } from './EntitlementLines.tsx';
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
  return (
    <Grid gap="lg" align="flex-start">
      <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }} className={classes['summary'] ?? ''}>
        <PolicySummary values={form.values} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
        <ResourceFormBody resource={resource} submitLabel={submitLabel} {...(onCancel && { onCancel })}>
          <Stack gap="md">
            {isNew && (
              <Box>
                <TemplatePicker selected={template} onSelect={choose} />
              </Box>
            )}
            <BasicFields form={form} isNew={isNew} />
            <TermFields form={form} />
            <DeviceFields form={form} />
            <EntitlementLines form={form} entitlements={entitlements} />
            <AdvancedFields form={form} />
          </Stack>
        </ResourceFormBody>
      </Grid.Col>
    </Grid>
  );
}
