import { NumberInput, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api/query-client.ts';
import { type Settings, settingsQuery, type UpdateSettings, updateSettings } from '../../api/settings.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { Mono } from '../../components/Texts.tsx';
import { type ResourceForm, useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { EventTypesInput } from '../webhooks/EventTypesInput.tsx';

const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

interface SettingsFormProps {
  readonly settings: Settings;
  readonly isReadOnly: boolean;
}

/** The form of all settings, which one button saves. */
export function SettingsForm({ settings, isReadOnly }: SettingsFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const resource = useResourceForm<SettingsValues, Settings>({
    initialValues: valuesOf(settings),
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name for the tenant.' : null),
      webhook_event_defaults: (events) => (events.length === 0 ? 'Choose at least one event type.' : null),
    },
    submit: (values) => updateSettings(surface, requestOf(values)),
    onSaved: async (saved) => {
      client.setQueryData(settingsQuery(surface).queryKey, saved);
      resource.form.setInitialValues(valuesOf(saved));
      resource.form.reset();
      // The navigation shows the tenant's name.
      await client.invalidateQueries({ queryKey: keyOf({ area: surface.area, tenantId: null }) });
    },
  });
  const parts = (
    <>
      <GeneralPart resource={resource} isReadOnly={isReadOnly} />
      <LicensePart resource={resource} isReadOnly={isReadOnly} />
      <TrialPart resource={resource} isReadOnly={isReadOnly} />
      <NotificationPart resource={resource} isReadOnly={isReadOnly} />
      <WebhookPart resource={resource} isReadOnly={isReadOnly} />
      <RetentionPart resource={resource} isReadOnly={isReadOnly} />
    </>
  );
  if (isReadOnly) return parts;
  return (
    <ResourceFormBody resource={resource} submitLabel="Save settings">
      {parts}
    </ResourceFormBody>
  );
}

interface PartProps {
  readonly resource: ResourceForm<SettingsValues>;
  readonly isReadOnly: boolean;
}

function GeneralPart({ resource: { form }, isReadOnly }: PartProps) {
  const zones = timeZones.includes(form.values.timezone) ? timeZones : [form.values.timezone, ...timeZones];
  return (
    <Section title="General">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Name" required disabled={isReadOnly} maxLength={100} {...form.getInputProps('name')} />
        <Select
          label="Time zone"
          description="Days, months and usage periods begin at midnight in this time zone."
          data={zones}
          searchable
          allowDeselect={false}
          disabled={isReadOnly}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('timezone')}
        />
        <TextInput
          label="Support email"
          description="Your customers write to this address."
          type="email"
          placeholder="support@example.com"
          disabled={isReadOnly}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('support_email')}
        />
      </SimpleGrid>
    </Section>
  );
}

function LicensePart({ resource: { form }, isReadOnly }: PartProps) {
  const prefix = form.values.license_key_prefix.trim();
  return (
    <Section title="Licenses">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="License key prefix"
          description={
            <>
              New keys look like <Mono>{prefix === '' ? '' : `${prefix}-`}7K2MQ-…</Mono>, unless their policy has its
              own prefix.
            </>
          }
          placeholder="ACME"
          maxLength={20}
          disabled={isReadOnly}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('license_key_prefix')}
        />
        <NumberInput
          label="Days before expiry"
          description="You are notified this many days before a license expires, and the license shows as expiring soon. The default is 14."
          min={1}
          max={365}
          clampBehavior="none"
          allowDecimal={false}
          disabled={isReadOnly}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('expiring_soon_days')}
        />
      </SimpleGrid>
    </Section>
  );
}

const trialLimits = [
  {
    name: 'trials_per_day_max',
    label: 'Trials per day',
    description:
      'The most trials per day, for all products together. The count restarts at midnight UTC. The default is 1,000.',
  },
  {
    name: 'trials_per_address_max',
    label: 'Trials per network',
    description: 'The most trials that can start from one network within 24 hours. The default is 20.',
  },
] as const;

function TrialPart({ resource: { form }, isReadOnly }: PartProps) {
  return (
    <Section
      title="Trials"
      description="Applications can start trials of products that have a trial policy. You are notified when a limit is reached."
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {trialLimits.map(({ name, label, description }) => (
          <NumberInput
            key={name}
            label={label}
            description={description}
            min={0}
            max={1_000_000}
            clampBehavior="none"
            allowDecimal={false}
            thousandSeparator=","
            disabled={isReadOnly}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </Section>
  );
}

/** Returns the error of a list field, which the service reports for one of its entries: `notification_emails.1`. */
function listError(errors: Record<string, React.ReactNode>, field: string): React.ReactNode {
  const name = Object.keys(errors).find((path) => path === field || path.startsWith(`${field}.`));
  return name === undefined ? undefined : errors[name];
}

function NotificationPart({ resource: { form }, isReadOnly }: PartProps) {
  return (
    <Section
      title="Notification mails"
      description="We send a mail when a license expires, a limit is reached, or a webhook endpoint fails."
    >
      <TagsInput
        label="Notification emails"
        description="Press Enter after each address. If you enter no address, the owners receive the mails."
        placeholder={form.values.notification_emails.length === 0 ? 'ada@example.com' : ''}
        maxTags={20}
        size="sm"
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        disabled={isReadOnly}
        {...form.getInputProps('notification_emails')}
        error={listError(form.errors, 'notification_emails')}
      />
    </Section>
  );
}

function WebhookPart({ resource: { form }, isReadOnly }: PartProps) {
  return (
    <Section title="Webhooks">
      <EventTypesInput
        label="Default events"
        description="New webhook endpoints receive these events if you do not choose any."
        value={form.values.webhook_event_defaults}
        onChange={(events) => form.setFieldValue('webhook_event_defaults', [...events])}
        error={form.errors['webhook_event_defaults']}
        disabled={isReadOnly}
      />
    </Section>
  );
}

const retention = [
  {
    name: 'audit',
    label: 'Audit log',
    description: 'Enter 30 to 3,650 days. This includes unread notifications. The default is 365.',
  },
  { name: 'usage', label: 'Usage', description: 'Enter 36 to 3,650 days. The default is 400.' },
  {
    name: 'deliveries',
    label: 'Webhook deliveries',
    description: 'Enter 1 to 365 days. This includes events. The default is 30.',
  },
  { name: 'mails', label: 'Sent emails', description: 'Enter 30 to 3,650 days. The default is 180.' },
  {
    name: 'sale_messages',
    label: 'Shop messages',
    description: 'Enter 7 to 3,650 days. This includes comparisons. The default is 90.',
  },
  { name: 'checks', label: 'License checks', description: 'Enter 1 to 365 days. The default is 30.' },
] as const;

function RetentionPart({ resource: { form }, isReadOnly }: PartProps) {
  return (
    <Section
      title="Retention"
      description="Choose how many days to keep data. Older data is permanently deleted once a day."
    >
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {retention.map(({ name, label, description }) => (
          <NumberInput
            key={name}
            label={`${label} (days)`}
            description={description}
            min={1}
            max={3650}
            clampBehavior="none"
            allowDecimal={false}
            thousandSeparator=","
            disabled={isReadOnly}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps(`retention_days.${name}`)}
          />
        ))}
      </SimpleGrid>
    </Section>
  );
}

/** The settings as the form edits them: an empty text is `null`. */
interface SettingsValues extends Record<string, unknown> {
  name: string;
  timezone: string;
  support_email: string;
  license_key_prefix: string;
  expiring_soon_days: number | string;
  trials_per_day_max: number | string;
  trials_per_address_max: number | string;
  notification_emails: string[];
  webhook_event_defaults: NonNullable<UpdateSettings['webhook_event_defaults']>;
  retention_days: {
    audit: number | string;
    usage: number | string;
    deliveries: number | string;
    mails: number | string;
    sale_messages: number | string;
    checks: number | string;
  };
}

/** Returns the values with which the form starts. */
function valuesOf(settings: Settings): SettingsValues {
  return {
    ...settings,
    support_email: settings.support_email ?? '',
    license_key_prefix: settings.license_key_prefix ?? '',
    webhook_event_defaults: settings.webhook_event_defaults as SettingsValues['webhook_event_defaults'],
  };
}

/** A number field without a number restores the default. */
function numberOf(value: number | string): number | null {
  return value === '' ? null : Number(value);
}

/** Returns the request that saves the values. */
function requestOf(values: SettingsValues): UpdateSettings {
  const { audit, usage, deliveries, mails, sale_messages, checks } = values.retention_days;
  return {
    name: values.name.trim(),
    timezone: values.timezone,
    support_email: values.support_email.trim() || null,
    license_key_prefix: values.license_key_prefix.trim() || null,
    expiring_soon_days: numberOf(values.expiring_soon_days),
    trials_per_day_max: numberOf(values.trials_per_day_max),
    trials_per_address_max: numberOf(values.trials_per_address_max),
    notification_emails: values.notification_emails,
    webhook_event_defaults: values.webhook_event_defaults,
    retention_days: {
      audit: numberOf(audit),
      usage: numberOf(usage),
      deliveries: numberOf(deliveries),
      mails: numberOf(mails),
      sale_messages: numberOf(sale_messages),
      checks: numberOf(checks),
    },
  };
}
