import { ActionIcon, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MailSettings, MailType } from '../../api/holder-mails.ts';
import { productQuery } from '../../api/tenant-catalog.ts';
import { ProductInput } from '../../components/ChoiceInput.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { X } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { mailTypes } from './mail-types.ts';
import { useChangeSettings } from './use-change-settings.ts';

/** The products whose holders get other mails than the rest. */
export function ProductExceptions({ settings }: { readonly settings: MailSettings }) {
  const surface = useSurface();
  const exceptions = settings.types.flatMap(({ type, products }) => products.map((product) => ({ type, ...product })));
  return (
    <Section title="Exceptions for products" description="Mails that are different for the licenses of a product.">
      {exceptions.length === 0 ? (
        <Hint>No product has an exception.</Hint>
      ) : (
        <Table horizontalSpacing={0}>
          <caption className="visually-hidden">Exceptions for products</caption>
          <Table.Tbody>
            {exceptions.map((exception) => (
              <ExceptionRow key={`${exception.type} ${exception.product_id}`} {...exception} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {allows(surface, 'mail-settings', 'update') && <AddException settings={settings} />}
    </Section>
  );
}

interface ExceptionRowProps {
  readonly type: MailType;
  readonly product_id: string;
  readonly is_on: boolean;
}

function ExceptionRow({ type, product_id, is_on }: ExceptionRowProps) {
  const surface = useSurface();
  const { data: product } = useQuery(productQuery(surface, product_id));
  const { change, isPending } = useChangeSettings();
  const name = product?.name ?? 'A product';
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">
          <b>{name}</b>: {mailTypes[type].label} is {is_on ? 'sent' : 'not sent'}
        </Text>
      </Table.Td>
      <Table.Td ta="right" w={44}>
        {allows(surface, 'mail-settings', 'update') && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove the exception of ${name} for ${mailTypes[type].label}`}
            loading={isPending}
            onClick={() => change({ switches: [{ type, product_id, is_on: null }] })}
          >
            <X size={16} aria-hidden="true" />
          </ActionIcon>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function AddException({ settings }: { readonly settings: MailSettings }) {
  const { change, isPending } = useChangeSettings();
  const [product, setProduct] = useState<string | null>(null);
  const [type, setType] = useState<string | null>(null);
  const general = settings.types.find((one) => one.type === type);
  const add = () => {
    if (product === null || general === undefined) return;
    change({ switches: [{ type: general.type, product_id: product, is_on: !general.is_on }] });
    setProduct(null);
    setType(null);
  };
  return (
    <Stack gap={6}>
      <Group align="flex-end" gap="xs">
        <ProductInput
          label="Product"
          placeholder="Choose a product"
          value={product}
          onChange={setProduct}
          comboboxProps={{ withinPortal: false }}
          style={{ flex: '1 1 200px', maxWidth: 280 }}
        />
        <Select
          label="Mail"
          placeholder="Choose a mail"
          data={settings.types.map((one) => ({ value: one.type, label: mailTypes[one.type].label }))}
          value={type}
          onChange={setType}
          comboboxProps={{ withinPortal: false }}
          style={{ flex: '1 1 200px', maxWidth: 280 }}
        />
        <Button
          variant="default"
          loading={isPending}
          disabled={product === null || general === undefined}
          onClick={add}
        >
          Add exception
        </Button>
      </Group>
      <Hint>
        {general === undefined
          ? 'An exception does the opposite of your choice above.'
          : `The mail will be ${general.is_on ? 'switched off' : 'switched on'} for the licenses of this product.`}
      </Hint>
    </Stack>
  );
}
