import {
  Alert,
  Badge,
  Button,
  Code,
  Grid,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import {
  type MailLanguage,
  type MailTemplate,
  previewQuery,
  resetTemplate,
  type TemplateText,
  type TextId,
  templatesKey,
  templatesQuery,
  testTemplate,
  updateTemplate,
} from '../../api/holder-mails.ts';
import { meQuery } from '../../api/me.ts';
import { toProblem } from '../../api/problem.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog, FormDialog } from '../../components/ConfirmDialog.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { RotateCcw, Send } from '../../icons/icons.gen.ts';
import { NotFoundPage } from '../../shell/NotFoundPage.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { MailFrame } from './MailFrame.tsx';
import { mailLanguageCodes, mailLanguages, mailTemplateSearch, mailTypes } from './mail-types.ts';

const parent = { label: 'Email templates', to: '/settings/mails' };
const typingPauseMs = 400;

/** The text of one type of mail, with a live preview. */
export default function MailTemplateScreen({ type }: { readonly type: string }) {
  const [{ language = 'en' }] = useFilters(mailTemplateSearch);
  const query = useQuery(templatesQuery(useSurface(), { language }));
  const template = query.data?.find((one) => one.type === type);
  if (query.data !== undefined && template === undefined) return <NotFoundPage />;
  if (template !== undefined) return <LoadedTemplate key={`${language} ${template.updated_at}`} template={template} />;
  return (
    <UnloadedPage
      title="Mail"
      parent={parent}
      error={query.error}
      refetch={query.refetch}
      skeleton={<Skeleton h={520} aria-busy="true" />}
    />
  );
}

function LoadedTemplate({ template }: { readonly template: MailTemplate }) {
  const surface = useSurface();
  const { type, language, subject, body, is_default } = template;
  const text: TextId = { type, language };
  const mayEdit = allows(surface, 'mail-templates', 'update');
  const [isResetting, setResetting] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const resource = useResourceForm<TemplateText & Record<string, unknown>, MailTemplate>({
    initialValues: { subject, body },
    validate: {
      subject: (text) => (text.trim() === '' ? 'Enter a subject.' : null),
      body: (text) => (text.trim() === '' ? 'Enter a text.' : null),
    },
    submit: (values) => updateTemplate(surface, text, values),
    invalidates: [templatesKey(surface)],
  });

  const { subject: typedSubject, body: typedBody } = resource.form.getValues();
  const draft = { subject: typedSubject, body: typedBody };
  const { label, when } = mailTypes[type];
  return (
    <Page
      title={label}
      parent={parent}
      description={when}
      badges={is_default ? undefined : <Badge variant="light">Your text</Badge>}
      actions={
        mayEdit && (
          <>
            <ActionButton icon={Send} label="Send a test" variant="default" onClick={() => setTesting(true)} />
            {!is_default && (
              <ActionButton
                icon={RotateCcw}
                label="Back to the default"
                variant="default"
                onClick={() => setResetting(true)}
              />
            )}
          </>
        )
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section
            title="Text"
            description={languageNote(language, resource.isUnsaved)}
            actions={<LanguageChoice language={language} isDisabled={resource.isUnsaved} />}
          >
            <ResourceFormBody resource={resource} submitLabel="Save text" isReadOnly={!mayEdit}>
              <TemplateFields resource={resource} template={template} />
            </ResourceFormBody>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>{mayEdit ? <Preview template={template} draft={draft} /> : null}</Grid.Col>
      </Grid>
      <ConfirmDialog
        title="Back to the default"
        isOpen={isResetting}
        onClose={() => setResetting(false)}
        onConfirm={() => resetTemplate(surface, text)}
        invalidates={[templatesKey(surface)]}
      >
        The default text replaces yours. The audit log keeps your text.
      </ConfirmDialog>
      <FormDialog title="Send a test" isOpen={isTesting} onClose={() => setTesting(false)}>
        <TestForm template={template} draft={draft} onClose={() => setTesting(false)} />
      </FormDialog>
    </Page>
  );
}

function languageNote(language: MailLanguage, isUnsaved: boolean): string {
  if (isUnsaved) return 'Save the text before you choose another language.';
  return `Customers whose language is ${mailLanguages[language]} get this text.`;
}

function LanguageChoice({ language, isDisabled }: { readonly language: MailLanguage; readonly isDisabled: boolean }) {
  const [, change] = useFilters(mailTemplateSearch);
  return (
    <SegmentedControl
      aria-label="Language"
      size="xs"
      disabled={isDisabled}
      data={mailLanguageCodes.map((code) => ({ value: code, label: mailLanguages[code] }))}
      value={language}
      onChange={(code) => change({ language: code })}
    />
  );
}

interface TemplateFieldsProps {
  readonly resource: ReturnType<typeof useResourceForm<TemplateText & Record<string, unknown>, MailTemplate>>;
  readonly template: MailTemplate;
}

function TemplateFields({ resource: { form }, template }: TemplateFieldsProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (name: string) => {
    const text = form.getValues().body;
    const { selectionStart: start, selectionEnd: end } = area.current ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    };
    form.setFieldValue('body', `${text.slice(0, start)}{{${name}}}${text.slice(end)}`);
    area.current?.focus();
  };
  return (
    <Stack gap="md">
      <TextInput label="Subject" required maxLength={200} {...form.getInputProps('subject')} />
      <Textarea
        ref={area}
        label="Text"
        description="Markdown: **bold**, lists with -, links as [label](https://…). A paragraph of one link becomes a button."
        required
        autosize
        minRows={14}
        maxRows={26}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        {...form.getInputProps('body')}
      />
      <Stack gap={6}>
        <Text size="sm" fw={500}>
          Variables
        </Text>
        <Hint>
          Select a variable to insert it. A paragraph is left out if the license has no value for its variable.
        </Hint>
        <Stack gap={6}>
          {template.variables.map(({ name, description }) => (
            <Group key={name} gap={8} wrap="nowrap" align="flex-start">
              <UnstyledButton type="button" onClick={() => insert(name)} aria-label={`Insert ${name}`}>
                <Code>{`{{${name}}}`}</Code>
              </UnstyledButton>
              <Hint>{description}</Hint>
            </Group>
          ))}
        </Stack>
      </Stack>
    </Stack>
  );
}

interface DraftProps {
  readonly template: MailTemplate;
  readonly draft: TemplateText;
}

const views = [
  { value: 'wide', label: 'Wide' },
  { value: 'narrow', label: 'Phone' },
  { value: 'text', label: 'Plain text' },
] as const;

/** The mail as holders see it, with sample values. It follows the typing. */
function Preview({ template, draft }: DraftProps) {
  const surface = useSurface();
  const [view, setView] = useState<string>('wide');
  const [body] = useDebouncedValue(draft, typingPauseMs);
  const isEmpty = body.subject.trim() === '' || body.body.trim() === '';
  const { data, error } = useQuery({ ...previewQuery(surface, template, body), enabled: !isEmpty });
  return (
    <Section
      title="Preview"
      description="With sample values, your name, your logo and your color."
      actions={<SegmentedControl aria-label="View" size="xs" data={[...views]} value={view} onChange={setView} />}
    >
      <Stack gap="sm">
        {error !== null && !isEmpty && (
          <Alert color="red" role="alert">
            {toProblem(error).details.map(({ field, message }) => (
              <Text key={message} size="sm">
                The {field === 'subject' ? 'subject' : 'text'} {message}.
              </Text>
            ))}
            {toProblem(error).details.length === 0 && <Text size="sm">{toProblem(error).message}</Text>}
          </Alert>
        )}
        {data === undefined ? (
          error === null && <Skeleton h={620} />
        ) : (
          <>
            <Text size="sm">
              <b>Subject:</b> {data.subject}
            </Text>
            {view === 'text' ? (
              <Code block style={{ whiteSpace: 'pre-wrap' }} tabIndex={0}>
                {data.text}
              </Code>
            ) : (
              <MailFrame html={data.html} {...(view === 'narrow' && { width: 360 })} />
            )}
          </>
        )}
      </Stack>
    </Section>
  );
}

/** Sends the draft to an address, by default the person's own. */
function TestForm({ template, draft, onClose }: DraftProps & { readonly onClose: () => void }) {
  const surface = useSurface();
  const { data: me } = useQuery(meQuery(surface.area));
  const [sentTo, setSentTo] = useState<string | null>(null);
  const own = me !== undefined && 'user' in me ? (me.user?.email ?? '') : '';
  const resource = useResourceForm({
    initialValues: { to: own },
    validate: { to: (address) => (address.includes('@') ? null : 'Enter an email address.') },
    submit: ({ to }) => testTemplate(surface, template, { ...draft, to }),
    onSaved: ({ to }) => setSentTo(to),
  });
  if (sentTo !== null) {
    return (
      <Stack gap="md">
        <Text role="status">The test was sent to {sentTo}. It has sample values.</Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <ResourceFormBody resource={resource} submitLabel="Send test">
      <TextInput label="To" type="email" required data-autofocus {...resource.form.getInputProps('to')} />
    </ResourceFormBody>
  );
}
