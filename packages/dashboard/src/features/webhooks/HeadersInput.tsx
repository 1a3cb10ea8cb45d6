import { ActionIcon, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ActionButton } from '../../components/ActionButton.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { Hint } from '../../components/Texts.tsx';
import { Plus, Trash2 } from '../../icons/icons.gen.ts';
import type { WebhookValues } from './webhook-values.ts';

const headersMax = 10;

/** The own headers of an endpoint. The service never returns a value, so an empty field keeps the stored one. */
export function HeadersInput({ form }: { readonly form: UseFormReturnType<WebhookValues> }) {
  const { headers } = form.values;
  return (
    <Fieldset legend="Headers">
      <Stack gap="sm">
        <Hint>Sent with each request, such as an authorization for your gateway.</Hint>
        {headers.map(({ name, isStored }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header has no other name while it is edited.
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start" role="group" aria-label={`Header ${index + 1}`}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" style={{ flex: 1 }}>
              <TextInput
                aria-label="Name"
                placeholder="Authorization"
                maxLength={64}
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps(`headers.${index}.name`)}
              />
              <PasswordField
                aria-label="Value"
                placeholder={isStored ? 'Unchanged' : 'Value'}
                maxLength={1000}
                autoComplete="new-password"
                {...form.getInputProps(`headers.${index}.value`)}
              />
            </SimpleGrid>
            <ActionIcon
              size={36}
              aria-label={`Remove ${name || 'header'}`}
              onClick={() => form.removeListItem('headers', index)}
            >
              <Trash2 size={16} aria-hidden="true" />
            </ActionIcon>
          </Group>
        ))}
        {form.errors['headers'] !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {form.errors['headers']}
          </Text>
        )}
        <div>
          <ActionButton
            icon={Plus}
            label="Add header"
            variant="default"
            disabled={headers.length >= headersMax}
            onClick={() => form.insertListItem('headers', { name: '', value: '', isStored: false })}
          />
        </div>
      </Stack>
    </Fieldset>
  );
}
