import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Overview } from '../../api/overview.ts';
import { keyOf } from '../../api/query-client.ts';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section } from '../../components/Section.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { FirstLicenseSteps } from './FirstLicenseSteps.tsx';

interface FirstLicenseProps {
  readonly steps: Overview['first_steps'];
  readonly onClose: () => void;
}

const waiting = {
  title: 'Your first license',
  description: 'From a product to a license that your application can check. It takes about two minutes.',
};
const finished = {
  title: 'Your first license works',
  description: 'Build the check into your application next. The guides show how, for each language and license model.',
};

/** Leads a new tenant from nothing to a validated license. Its steps also follow what happens elsewhere. */
export function FirstLicense({ steps, onClose }: FirstLicenseProps) {
  const surface = useSurface();
  const client = useQueryClient();
  // The key stays in the memory of this screen, for the validation. No cache, URL or storage contains it.
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [isKeyShown, setKeyShown] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface) });
  const isDone = steps.validation;
  const mayWrite = surface.area === 'tenant' && allows(surface, 'licenses', 'create');
  const all = Object.values(steps);
  const close = (
    <Group gap="sm">
      <Anchor href="/docs/quickstart/" size="md">
        Open the guides
      </Anchor>
      <Button variant="default" size="xs" onClick={onClose}>
        Close the guide
      </Button>
    </Group>
  );
  return (
    <Section {...(isDone ? finished : waiting)} {...(isDone && { actions: close })}>
      <Text size="sm" c="dimmed" role="status">
        {all.filter(Boolean).length} of {all.length} steps done
      </Text>
      {!mayWrite && !isDone && (
        <Text size="md">An owner or an admin of the tenant takes these steps. They appear here as they happen.</Text>
      )}
      <FirstLicenseSteps
        steps={steps}
        mayWrite={mayWrite}
        apiKey={apiKey}
        onKey={(key) => {
          setApiKey(key);
          setKeyShown(true);
        }}
        onChanged={refresh}
      />
      <SecretDialog
        title="New API key"
        label="API key"
        secret={isKeyShown ? apiKey : null}
        onStored={() => {
          setKeyShown(false);
          void refresh();
        }}
      >
        <Text size="sm" c="dimmed">
          Your application sends it in the header <code>X-API-Key</code>. The next step uses it once, from this page.
        </Text>
      </SecretDialog>
    </Section>
  );
}
