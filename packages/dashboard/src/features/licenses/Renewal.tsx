import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type License, licensesKey, renewalQuery, renewLicense, updateLicense } from '../../api/licenses.ts';
import { toProblem } from '../../api/problem.ts';
import { keyOf } from '../../api/query-client.ts';
import { type Policy, policyQuery } from '../../api/tenant-catalog.ts';
import { ExpiryInput, expiryOf, expiryText } from '../../components/ExpiryInput.tsx';
import { termLength } from '../../components/ExpiryText.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { ArrowRight } from '../../icons/icons.gen.ts';
import { formatLastDay } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';

const lengths: Readonly<Record<string, { readonly duration_months: number }>> = {
  month: { duration_months: 1 },
  year: { duration_months: 12 },
};

/** The lengths that a person chooses from. The policy's own is the first, if it has one. */
function choicesOf({ duration_days, duration_months }: Policy) {
  const hasOwn = duration_days !== null || duration_months !== null;
  return [
    ...(hasOwn
      ? [{ value: 'policy', label: `${termLength(duration_days, duration_months)}, as its policy says` }]
      : []),
    { value: 'month', label: '1 month' },
    { value: 'year', label: '1 year' },
    { value: 'date', label: 'Until another date' },
  ];
}

/** Extends a license by its policy's duration, by another one, or to a date. */
export function Renewal({ license }: { readonly license: License }) {
  const { data: policy } = useQuery(policyQuery(useSurface(), license.policy_id));
  return policy === undefined ? null : <RenewForm license={license} policy={policy} />;
}

function RenewForm({ license, policy }: { readonly license: License; readonly policy: Policy }) {
  const surface = useSurface();
  const choices = choicesOf(policy);
  const { expires_at } = license;
  const resource = useResourceForm({
    initialValues: {
      length: choices[0]?.value ?? 'year',
      expires_at: expires_at === null ? '' : expiryText(expires_at),
    },
    validate: {
      expires_at: (value, { length }) => (length === 'date' && value === '' ? 'Enter the new end.' : null),
    },
    submit: ({ length, expires_at: until }, idempotencyKey) => {
      if (length === 'date') return updateLicense(surface, license.id, { expires_at: expiryOf(until) });
      return renewLicense(surface, license.id, lengths[length] ?? {}, idempotencyKey);
    },
    invalidates: [licensesKey(surface), keyOf(surface, 'audit-logs')],
  });
  const { form } = resource;
  const { length, expires_at: until } = form.getValues();
  const isRenewal = length !== 'date';
  const preview = useQuery({
    ...renewalQuery(surface, license.id, lengths[length] ?? {}),
    enabled: isRenewal,
    retry: false,
  });
  const end = isRenewal ? (preview.data?.expires_at ?? null) : expiryOf(until);
  return (
    <ResourceFormBody resource={resource} submitLabel="Renew license">
      <Select label="Renew by" data={choices} allowDeselect={false} data-autofocus {...form.getInputProps('length')} />
      {length === 'date' && <ExpiryInput label="New end" withAsterisk {...form.getInputProps('expires_at')} />}
      {expires_at !== null && end !== null && <Change from={expires_at} to={end} />}
      {isRenewal && preview.error !== null && (
        <Text size="sm" role="alert">
          {toProblem(preview.error).message}
        </Text>
      )}
      {license.maintenance_expires_at !== null && (
        <Hint>
          {length === 'date'
            ? 'The end of the maintenance stays. Change it with “Edit license”.'
            : 'The end of the maintenance moves as well.'}
        </Hint>
      )}
    </ResourceFormBody>
  );
}

function Change({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <Stack gap={2}>
      <Hint>Expires</Hint>
      <Group gap="xs" fw={600} className="tabular">
        <span>{formatLastDay(from)}</span>
        <ArrowRight size={15} aria-label="becomes" />
        <span>{formatLastDay(to)}</span>
      </Group>
    </Stack>
  );
}
