import { PasswordInput, Stack, TextInput } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { dataOf } from '../../api/body.ts';
import { apiOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Area, writeSession } from '../../api/session.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { safeNext } from '../../shell/require-session.ts';

interface LoginScreenProps {
  readonly area: Area;
  /** The page to open afterwards. */
  readonly next?: string | undefined;
}

/** Logs a person in to an area. */
export function LoginScreen({ area, next }: LoginScreenProps) {
  const router = useRouter();
  const resource = useResourceForm({
    initialValues: { email: '', password: '' },
    submit: (values) =>
      dataOf(apiOf({ area, tenantId: null }).POST('/api/v1/auth/login', { body: { ...values, ability: area } })),
    onSaved: ({ access_token: token, expires_at: expiresAt }) => {
      queryClient.clear();
      writeSession(area, { token, expiresAt });
      router.history.replace(safeNext(next, area));
    },
  });
  const { form } = resource;
  return (
    <CenteredPage title={area === 'admin' ? 'Admin login' : 'Log in'}>
      <ResourceFormBody resource={resource} submitLabel="Log in">
        <Stack gap="sm">
          <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
        </Stack>
      </ResourceFormBody>
    </CenteredPage>
  );
}
