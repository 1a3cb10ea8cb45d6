import { Anchor, Checkbox, Skeleton, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createLicense, licensesKey } from '../../api/licenses.ts';
import { policyQuery, productChoicesQuery } from '../../api/tenant-catalog.ts';
import { PolicyInput, ProductOrAllInput } from '../../components/ChoiceInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { policySummary } from '../policies/summary.ts';
import { valuesOf } from '../policies/values.ts';
import { changesOf, emptyValues, validations } from './form-values.ts';
import { LicenseFields } from './LicenseFields.tsx';

/** What stays chosen for the next license. */
interface Choice {
  readonly product_id: string | null;
  readonly policy_id: string | null;
}

/**
 * Issues a license and opens its page, or issues one after the other: the form starts anew for another license of the same
 * policy. A sole product needs no choice.
 */
export default function NewLicenses() {
  const surface = useSurface();
  const { data: products } = useQuery(productChoicesQuery(surface, ''));
  const [created, setCreated] = useState<{ readonly count: number; readonly choice: Choice | null }>({
    count: 0,
    choice: null,
  });
  if (products === undefined) return <Skeleton h={320} />;
  const [sole] = products.length === 1 ? products : [];
  const choice = created.choice ?? { product_id: sole?.id ?? null, policy_id: null };
  return (
    <NewLicenseForm
      key={created.count}
      choice={choice}
      isAnother={created.count > 0}
      onAnother={(next) => setCreated({ count: created.count + 1, choice: next })}
    />
  );
}

interface NewLicenseFormProps {
  readonly choice: Choice;
  /** Whether the person is creating one after the other. */
  readonly isAnother: boolean;
  readonly onAnother: (choice: Choice) => void;
}

function NewLicenseForm({ choice, isAnother, onAnother }: NewLicenseFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [staysOpen, setStaysOpen] = useState(isAnother);
  const resource = useResourceForm({
    initialValues: { ...emptyValues, ...choice, key: '' },
    validate: { ...validations, policy_id: (id) => (id === null ? 'Choose the policy of the license.' : null) },
    submit: ({ product_id: _product, policy_id, key, ...values }, idempotencyKey) => {
      const own = key.trim();
      const fields = changesOf(values, emptyValues);
      const defaults = { max_activations: null, entitlements: [], metadata: {} };
      const body = { ...defaults, ...fields, policy_id: policy_id ?? '', ...(own !== '' && { key: own }) };
      return createLicense(surface, body, idempotencyKey);
    },
    onSaved: async ({ id, key }) => {
      if (staysOpen) {
        notifications.show({ message: `License created: ${key}`, role: 'status' });
        const { product_id, policy_id } = form.getValues();
        onAnother({ product_id, policy_id });
      } else {
        await navigate(`/licenses/${id}`);
      }
      await client.invalidateQueries({ queryKey: licensesKey(surface) });
    },
  });
  const { form } = resource;
  const { product_id: productId, policy_id: policyId } = form.getValues();
  const { data: policy } = useQuery({ ...policyQuery(surface, policyId ?? ''), enabled: policyId !== null });
  return (
    <ResourceFormBody resource={resource} submitLabel="Create license">
      <ProductOrAllInput
        value={productId}
        onChange={(id) => form.setValues({ product_id: id, policy_id: null })}
        // The panel gives the focus to its close button while this form is loaded.
        autoFocus
      />
      <PolicyInput
        label="Policy"
        placeholder="Choose the terms"
        withAsterisk
        productId={productId ?? undefined}
        {...form.getInputProps('policy_id')}
      />
      <Hint mt={-8} mih={40}>
        {policy !== undefined && policyId !== null ? (
          policySummary(valuesOf(policy))
        ) : (
          <>
            The policy sets the term, the limits and the entitlements.{' '}
            <Anchor component={PathLink} to={pathOn(surface, '/policies')} inherit underline="always">
              Policies
            </Anchor>
          </>
        )}
      </Hint>
      <TextInput
        label="Key"
        description="Leave this empty to generate a key."
        placeholder="Generated"
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('key')}
      />
      <LicenseFields
        form={form}
        policyLimit={policy?.max_activations}
        emptyDate="Leave a date empty to take it from the policy. The license starts now."
      />
      <Checkbox
        label="Create another"
        checked={staysOpen}
        onChange={({ currentTarget }) => setStaysOpen(currentTarget.checked)}
      />
    </ResourceFormBody>
  );
}
