import { Anchor, Badge, Group, Skeleton, Stack, Switch, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MailSettings, type MailType, mailSettingsQuery } from '../../api/holder-mails.ts';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { DefaultLanguage } from './DefaultLanguage.tsx';
import { MailServerSection } from './MailServerSection.tsx';
import { mailTypeNames, mailTypes } from './mail-types.ts';
import { ProductExceptions } from './ProductExceptions.tsx';
import { ReminderDays } from './ReminderDays.tsx';
import { useChangeSettings } from './use-change-settings.ts';

/** The settings of mails to the holders of licenses. */
export default function MailSettingsScreen() {
  const surface = useSurface();
  const query = useQuery(mailSettingsQuery(surface));
  const { data: settings } = query;
  return (
    <Page title="Email templates" description="Which mails your customers get, what they say, and who sends them.">
      {settings === undefined ? (
        <QueryPlaceholder
          error={query.error}
          refetch={query.refetch}
          skeleton={
            <Stack aria-busy="true">
              <Skeleton h={420} />
              <Skeleton h={140} />
            </Stack>
          }
        />
      ) : (
        <>
          <Switches settings={settings} />
          <DefaultLanguage settings={settings} />
          <ReminderDays settings={settings} />
          <ProductExceptions settings={settings} />
          <MailServerSection settings={settings} />
        </>
      )}
    </Page>
  );
}

function Switches({ settings }: { readonly settings: MailSettings }) {
  return (
    <Section title="Which mails" description="An API request can override this for the license that it changes.">
      <Table verticalSpacing="sm" horizontalSpacing={0}>
        <caption className="visually-hidden">Types of mails</caption>
        <Table.Thead className="visually-hidden">
          <Table.Tr>
            <Table.Th>Mail</Table.Th>
            <Table.Th>Sent</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {mailTypeNames.map((type) => (
            <TypeRow key={type} type={type} settings={settings} />
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function TypeRow({ type, settings }: { readonly type: MailType; readonly settings: MailSettings }) {
  const surface = useSurface();
  const { change, isPending } = useChangeSettings();
  const { label, when } = mailTypes[type];
  const state = settings.types.find((one) => one.type === type);
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text fw={500}>{label}</Text>
          {state !== undefined && state.products.length > 0 && (
            <Badge color="gray" variant="light">
              {state.products.length === 1 ? '1 exception' : `${state.products.length} exceptions`}
            </Badge>
          )}
        </Group>
        <Hint>{when}</Hint>
        <Anchor component={SurfaceLink} to={`/settings/mails/${type}`} size="sm" underline="always">
          {allows(surface, 'mail-templates', 'update') ? `Edit the text` : 'Read the text'}
          <span className="visually-hidden"> of {label}</span>
        </Anchor>
      </Table.Td>
      <Table.Td ta="right" w={90} style={{ verticalAlign: 'top' }}>
        {state === undefined ? (
          <Hint>Always</Hint>
        ) : (
          <Switch
            aria-label={`Send ${label}`}
            checked={state.is_on}
            disabled={isPending || !allows(surface, 'mail-settings', 'update')}
            onChange={({ currentTarget }) => change({ switches: [{ type, is_on: currentTarget.checked }] })}
            styles={{ body: { justifyContent: 'flex-end' } }}
          />
        )}
      </Table.Td>
    </Table.Tr>
  );
}
