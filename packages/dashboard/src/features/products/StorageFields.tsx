import { Group, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Product, ProductInput } from '../../api/tenant-catalog.ts';

/** What the person enters about the storage of private files. */
export interface StorageValues {
  readonly has_storage: boolean;
  readonly download_storage: {
    readonly endpoint: string;
    readonly region: string;
    readonly bucket: string;
    readonly access_key_id: string;
    readonly secret_access_key: string;
  };
}

const noStorage = { endpoint: '', region: '', bucket: '', access_key_id: '', secret_access_key: '' };

/** Returns the storage of a product as the form has it. The service never tells the secret. */
export function storageValues(product: Product | undefined): StorageValues {
  const storage = product?.download_storage ?? null;
  return { has_storage: storage !== null, download_storage: { ...noStorage, ...storage } };
}

/** Returns the storage as the API takes it. Without a secret, the stored one stays. */
export function storageInput({
  has_storage,
  download_storage,
}: StorageValues): NonNullable<ProductInput['download_storage']> | null {
  if (!has_storage) return null;
  const { secret_access_key, ...rest } = download_storage;
  return { ...rest, ...(secret_access_key !== '' && { secret_access_key }) };
}

interface StorageFieldsProps<Values extends StorageValues> {
  readonly form: UseFormReturnType<Values>;
  /** Whether the service has a secret already. */
  readonly hasSecret: boolean;
}

/** The storage of private files: with its key, the service makes links that work for five minutes. */
export function StorageFields<Values extends StorageValues>({ form, hasSecret }: StorageFieldsProps<Values>) {
  const field = (name: keyof StorageValues['download_storage']) => form.getInputProps(`download_storage.${name}`);
  return (
    <Stack gap="sm" role="group" aria-label="Download storage">
      <Switch
        label="Files of releases are private"
        description="They are in an S3 storage of yours. Each download is a link that works for 5 minutes. Otherwise, whoever has the address of a file can download it."
        {...form.getInputProps('has_storage', { type: 'checkbox' })}
      />
      {form.values.has_storage && (
        <>
          <TextInput
            label="Endpoint"
            required
            type="url"
            placeholder="https://s3.eu-central-1.amazonaws.com"
            {...field('endpoint')}
          />
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <TextInput label="Region" required placeholder="eu-central-1" miw={160} {...field('region')} />
            <TextInput label="Bucket" required miw={160} {...field('bucket')} />
          </Group>
          <TextInput label="Access key ID" required autoComplete="off" spellCheck={false} {...field('access_key_id')} />
          <PasswordInput
            label="Secret access key"
            description={
              hasSecret
                ? 'Leave this empty to keep the stored key. It needs to read objects and nothing else.'
                : 'It needs to read objects and nothing else. It is stored encrypted and never shown again.'
            }
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required={!hasSecret}
            autoComplete="new-password"
            {...field('secret_access_key')}
          />
        </>
      )}
    </Stack>
  );
}
