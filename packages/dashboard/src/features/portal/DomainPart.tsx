import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type PortalSettings, portalQuery, verifyPortalDomain } from '../../api/portal.ts';
import { toProblem } from '../../api/problem.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText, Dimmed } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useAction } from '../../components/use-action.ts';
import type { ResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { order, type PortalValues } from './values.ts';

type Domain = NonNullable<PortalSettings['domain']>;

interface DomainPartProps {
  readonly resource: ResourceForm<PortalValues>;
  /** As it is saved. */
  readonly domain: Domain | null;
  readonly isReadOnly: boolean;
}

/** The domain of the portal, and what proves that it is the tenant's. */
export function DomainPart({ resource: { form }, domain, isReadOnly }: DomainPartProps) {
  const isSaved = domain !== null && form.values.domain.trim() === domain.name;
  return (
    <Section title="Your own domain" description="The portal can be at a name of yours, in place of the address above.">
      <TextInput
        label="Domain"
        description="Leave it empty for none. After you save it, a DNS record proves that it is yours."
        placeholder="portal.example.com"
        maxLength={253}
        autoComplete="off"
        spellCheck={false}
        inputWrapperOrder={order}
        {...form.getInputProps('domain')}
      />
      {isSaved && <Proof domain={domain} isReadOnly={isReadOnly} />}
    </Section>
  );
}

function Proof({ domain, isReadOnly }: { readonly domain: Domain; readonly isReadOnly: boolean }) {
  const surface = useSurface();
  const client = useQueryClient();
  const check = useAction({
    run: async () => client.setQueryData(portalQuery(surface).queryKey, await verifyPortalDomain(surface)),
    invalidates: [],
    success: 'The domain is proved.',
  });
  if (domain.verified_at !== null) {
    return (
      <Dimmed>
        Proved since <TimeText value={domain.verified_at} />. Mails and links lead to this domain.
      </Dimmed>
    );
  }
  return (
    <Stack gap="sm">
      <Facts
        cols={1}
        items={[
          { label: 'Type of the DNS record', value: 'TXT' },
          { label: 'Name', value: <CopyableText value={domain.txt_name} label="name of the record" /> },
          { label: 'Value', value: <CopyableText value={domain.txt_value} label="value of the record" /> },
        ]}
      />
      <Group gap="sm">
        <Dimmed>Waiting for this record. Your customers cannot use the domain yet.</Dimmed>
        {!isReadOnly && (
          <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
            Check the record
          </Button>
        )}
      </Group>
      {check.error !== null && (
        <Alert color="orange" title="The domain is not proved" role="alert">
          <AlertText>{toProblem(check.error).message}</AlertText>
        </Alert>
      )}
    </Stack>
  );
}
