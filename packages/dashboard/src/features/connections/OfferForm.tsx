import { Alert, NumberInput, Radio, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type Connection,
  connectionsKey,
  createOffer,
  type Offer,
  type ShopOffer,
  updateOffer,
} from '../../api/connections.ts';
import { policyQuery } from '../../api/tenant-catalog.ts';
import { PolicyInput } from '../../components/ChoiceInput.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { shops } from './shops.ts';
import { deviceWarning, offerSentence } from './words.ts';

interface OfferFormProps {
  readonly connection: Connection;
  /** The offer to change; absent for a new one. */
  readonly offer?: Offer | undefined;
  /** The item of a new offer, if it is known. */
  readonly item?: Pick<ShopOffer, 'external_id' | 'name'> | undefined;
}

interface Values extends Record<string, unknown> {
  readonly external_id: string;
  readonly name: string;
  readonly policy_id: string | null;
  readonly quantity: Offer['quantity'];
  readonly seats_per_unit: number | string;
  readonly on_refund: Offer['on_refund'];
  readonly suspends: boolean;
  readonly suspend_after_days: number | string;
}

function valuesOf(offer: Offer | undefined, item: OfferFormProps['item']): Values {
  return {
    external_id: offer?.external_id ?? item?.external_id ?? '',
    name: offer?.name ?? item?.name ?? '',
    policy_id: offer?.policy_id ?? null,
    quantity: offer?.quantity ?? 'policy',
    seats_per_unit: offer?.seats_per_unit ?? 1,
    on_refund: offer?.on_refund ?? 'revoke',
    suspends: offer?.on_payment_failure === 'suspend_after_days',
    suspend_after_days: offer?.suspend_after_days ?? 7,
  };
}

function bodyOf({ external_id, name, policy_id, quantity, seats_per_unit, on_refund, ...values }: Values) {
  return {
    external_id: external_id.trim(),
    name: name.trim(),
    policy_id: policy_id ?? '',
    quantity,
    seats_per_unit: Number(seats_per_unit),
    on_refund,
    on_payment_failure: values.suspends ? ('suspend_after_days' as const) : ('nothing' as const),
    suspend_after_days: values.suspends ? Number(values.suspend_after_days) : null,
  };
}

const isPositive = (value: number | string) => Number.isInteger(Number(value)) && Number(value) >= 1;

/** What an item of the shop becomes. A sentence says it while the person edits. */
export function OfferForm({ connection, offer, item }: OfferFormProps) {
  const surface = useSurface();
  const shop = shops[connection.provider];
  const resource = useResourceForm<Values, unknown>({
    initialValues: valuesOf(offer, item),
    validate: {
      external_id: (id) => (id.trim() === '' ? 'Enter the ID of the item.' : null),
      name: (name) => (name.trim() === '' ? 'Enter a name.' : null),
      policy_id: (id) => (id === null ? 'Choose the policy of the licenses.' : null),
      seats_per_unit: (seats, { quantity }) =>
        quantity === 'seats' && !isPositive(seats) ? 'Enter a whole number from 1.' : null,
      suspend_after_days: (days, { suspends }) =>
        suspends && !(Number.isInteger(Number(days)) && Number(days) >= 0) ? 'Enter a whole number of days.' : null,
    },
    submit: async (values, key) => {
      const { external_id, ...body } = bodyOf(values);
      return offer === undefined
        ? await createOffer(surface, connection.id, { external_id, ...body }, key)
        : await updateOffer(surface, connection.id, offer.id, body);
    },
    invalidates: [connectionsKey(surface)],
    fieldsOfCodes: { 'SALES.OFFER_TAKEN': 'external_id' },
  });
  const { form } = resource;
  const values = form.getValues();
  const { data: policy } = useQuery({
    ...policyQuery(surface, values.policy_id ?? ''),
    enabled: values.policy_id !== null,
  });
  const warning = deviceWarning(bodyOf(values), policy);
  const isIgnored = values.quantity === 'ignore';
  return (
    <ResourceFormBody resource={resource} submitLabel={offer === undefined ? 'Add offer' : 'Save offer'}>
      <Alert color="gray" role="status">
        <AlertText>{offerSentence(bodyOf(values), policy?.name)}</AlertText>
      </Alert>
      {warning !== null && (
        <Alert color="yellow" role="status">
          <AlertText>{warning}</AlertText>
        </Alert>
      )}
      <TextInput
        label={`${shop.item.label} ID`}
        description={offer === undefined ? shop.item.description : 'An offer keeps its item. Add another one instead.'}
        placeholder={shop.item.placeholder}
        required
        disabled={offer !== undefined}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('external_id')}
      />
      <TextInput
        label="Name"
        description="The name that your team uses."
        placeholder="Pro, yearly"
        maxLength={100}
        required
        {...form.getInputProps('name')}
      />
      <PolicyInput label="Policy" withAsterisk {...form.getInputProps('policy_id')} />
      <Radio.Group label="Quantity" {...form.getInputProps('quantity')}>
        <Stack gap={8} mt={8}>
          <Radio value="policy" label="One license, with the devices as the policy says" />
          <Radio value="seats" label="One license, and the quantity is its number of devices" />
          <Radio value="licenses" label="As many licenses as were bought" />
          <Radio value="ignore" label="Nothing: this item needs no license" />
        </Stack>
      </Radio.Group>
      {values.quantity === 'seats' && (
        <NumberInput
          label="Devices per unit"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          w={{ base: '100%', xs: 200 }}
          {...form.getInputProps('seats_per_unit')}
        />
      )}
      {!isIgnored && (
        <>
          <Select
            label="After a refund"
            description="The same happens after a lost dispute. While a dispute is open, the license is suspended, unless you choose that nothing happens."
            allowDeselect={false}
            data={[
              { value: 'revoke', label: 'The license is revoked' },
              { value: 'suspend', label: 'The license is suspended' },
              { value: 'nothing', label: 'Nothing happens' },
            ]}
            {...form.getInputProps('on_refund')}
          />
          <Switch
            label="Suspend the license while a payment is missing"
            {...form.getInputProps('suspends', { type: 'checkbox' })}
          />
          {values.suspends && (
            <NumberInput
              label="Days after the failed payment"
              min={0}
              max={365}
              allowDecimal={false}
              w={{ base: '100%', xs: 200 }}
              {...form.getInputProps('suspend_after_days')}
            />
          )}
        </>
      )}
    </ResourceFormBody>
  );
}
