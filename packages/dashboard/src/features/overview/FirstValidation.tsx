import { Group, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { snapshotQuery, type Verdict, validateOnDevice } from '../../api/dev-tools.ts';
import { toProblem } from '../../api/problem.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Play } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { completedSnippets, firstDevice, keyCommand, maskedKey } from './first-license.ts';

interface FirstValidationProps {
  /** The raw key, or null if this page does not know one. */
  readonly apiKey: string | null;
  readonly licenseKey: string;
  readonly product: string;
  readonly onValidated: () => unknown;
}

const commands = [
  { value: 'curl', name: 'curl', label: 'curl command' },
  { value: 'typescript', name: 'TypeScript', label: 'TypeScript commands' },
  { value: 'python', name: 'Python', label: 'Python commands' },
] as const;

/** Activates a device and validates the license as an application does, and shows the verdict and the code that does the same. */
export function FirstValidation({ apiKey, licenseKey, product, onValidated }: FirstValidationProps) {
  const surface = useSurface();
  const { data: snapshot } = useQuery(snapshotQuery(surface));
  const baseUrl = snapshot?.environment.base_url ?? window.location.origin;
  const snippets = completedSnippets({ baseUrl, licenseKey, product, tenantId: surface.tenantId ?? '' });
  // The page shows a part of the key only; the button copies all of it, so that the command runs as it is.
  const shownKeyCommand = keyCommand(apiKey === null ? null : maskedKey(apiKey));
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (key: string) => validateOnDevice(key, licenseKey, product, firstDevice),
    onSuccess: onValidated,
    // The cache of mutations keeps the input, which is a secret.
    gcTime: 0,
  });
  return (
    <Stack gap="md">
      <Text>
        An application activates each device once, and then validates the license on it. The device here is “
        {firstDevice.name}”.
      </Text>
      {apiKey !== null && (
        <Group>
          <ActionButton
            icon={Play}
            label={data === undefined ? 'Activate and validate' : 'Validate again'}
            loading={isPending}
            onClick={() => mutate(apiKey)}
            {...(data !== undefined && { variant: 'default' })}
          />
        </Group>
      )}
      <div role="status">{data !== undefined && <VerdictLine verdict={data} />}</div>
      {error !== null && <ErrorState problem={toProblem(error)} />}
      <Tabs defaultValue="curl">
        <Tabs.List aria-label="The same from your application">
          {commands.map(({ value, name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
          {data !== undefined && <Tabs.Tab value="response">Response</Tabs.Tab>}
        </Tabs.List>
        {commands.map(({ value, label }) => (
          <Tabs.Panel key={value} value={value} pt="xs">
            <CodeBlock
              code={`${shownKeyCommand}\n${snippets[value]}`}
              copied={`${keyCommand(apiKey)}\n${snippets[value]}`}
              label={label}
            />
          </Tabs.Panel>
        ))}
        {data !== undefined && (
          <Tabs.Panel value="response" pt="xs">
            <CodeBlock code={JSON.stringify(data, null, 2)} label="response" />
          </Tabs.Panel>
        )}
      </Tabs>
    </Stack>
  );
}

function VerdictLine({ verdict }: { readonly verdict: Verdict }) {
  return (
    <Group gap="xs">
      <StatusBadge status={verdict.valid ? 'valid' : 'invalid'} />
      <Text ff="monospace">{verdict.code}</Text>
      <Text>{verdict.detail}</Text>
    </Group>
  );
}
