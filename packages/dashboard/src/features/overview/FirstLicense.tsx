import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type NewestObjects, newestObjectsQuery, type Overview } from '../../api/overview.ts';
import { keyOf } from '../../api/query-client.ts';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { Check } from '../../icons/icons.gen.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows, type Surface } from '../../surfaces.ts';
import classes from './FirstLicense.module.css';
import { FirstKeyForm, FirstLicenseForm, FirstPolicyForm, FirstProductForm } from './FirstLicenseForms.tsx';
import { FirstValidation } from './FirstValidation.tsx';
import { GuidesLink } from './GuidesLink.tsx';
import { NextSteps } from './NextSteps.tsx';

type StepName = keyof Overview['first_steps'];

const titles: readonly (readonly [StepName, string])[] = [
  ['product', 'Create a product'],
  ['policy', 'Choose how you license it'],
  ['license', 'Issue a license'],
  ['api_key', 'Create an API key'],
  ['validation', 'Activate a device and validate the license'],
];

interface FirstLicenseStepsProps {
  readonly steps: Overview['first_steps'];
  /** Whether the person may take the steps. */
  readonly mayWrite: boolean;
  /** The raw key that this screen has created; null before that. */
  readonly apiKey: string | null;
  readonly onKey: (key: string) => void;
  readonly onChanged: () => unknown;
}

const none: NewestObjects = { product: null, policy: null, license: null };

/** The five steps; the first that is not done shows its form. */
function FirstLicenseSteps(props: FirstLicenseStepsProps) {
  const { steps, mayWrite } = props;
  const surface = useSurface();
  const { data: objects = none } = useQuery(newestObjectsQuery(surface, steps));
  const current = titles.find(([name]) => !steps[name])?.[0];
  const stateOf = (name: StepName) => {
    if (steps[name]) return 'done';
    return name === current ? 'current' : 'waiting';
  };
  return (
    <ol className={classes['steps']}>
      {titles.map(([name, title], index) => (
        <FirstLicenseStep
          key={name}
          number={index + 1}
          state={stateOf(name)}
          title={title}
          result={resultOf(name, objects)}
        >
          {name === 'validation' && steps.api_key && <ValidationStep {...props} surface={surface} objects={objects} />}
          {mayWrite && name === current && <StepForm name={name} surface={surface} objects={objects} {...props} />}
        </FirstLicenseStep>
      ))}
    </ol>
  );
}

/** Returns a link to what a step has created. */
function resultOf(name: StepName, { product, policy, license }: NewestObjects): ReactNode {
  if (name === 'product' && product !== null)
    return <SurfaceLink to={`/products/${product.id}`}>{product.name}</SurfaceLink>;
  if (name === 'policy' && policy !== null)
    return <SurfaceLink to={`/policies/${policy.id}`}>{policy.name}</SurfaceLink>;
  if (name === 'license' && license !== null) {
    return (
      <SurfaceLink to={`/licenses/${license.id}`} ff="monospace">
        {truncateMiddle(license.key, 22)}
      </SurfaceLink>
    );
  }
  return name === 'api_key' ? <SurfaceLink to="/api-keys">API keys</SurfaceLink> : null;
}

interface StepProps extends FirstLicenseStepsProps {
  readonly surface: Surface;
  readonly objects: NewestObjects;
}

function StepForm({ name, surface, objects, onChanged, onKey }: StepProps & { readonly name: StepName }) {
  const { product, policy } = objects;
  if (name === 'product') return <FirstProductForm surface={surface} onSaved={onChanged} />;
  if (name === 'policy' && product !== null)
    return <FirstPolicyForm surface={surface} productId={product.id} onSaved={onChanged} />;
  if (name === 'license' && policy !== null)
    return <FirstLicenseForm surface={surface} policyId={policy.id} onSaved={onChanged} />;
  return name === 'api_key' ? <FirstKeyForm surface={surface} onCreated={onKey} /> : null;
}

function ValidationStep({ steps, mayWrite, apiKey, surface, objects, onKey, onChanged }: StepProps) {
  const { license, product } = objects;
  if (license === null || product === null) return null;
  return (
    <Stack gap="md">
      {mayWrite && apiKey === null && !steps.validation && (
        <FirstKeyForm
          surface={surface}
          hint="The keys that exist cannot be shown again, so the test needs a new one."
          onCreated={onKey}
        />
      )}
      <FirstValidation apiKey={apiKey} licenseKey={license.key} product={product.code} onValidated={onChanged} />
    </Stack>
  );
}

interface FirstLicenseStepProps {
  readonly number: number;
  readonly state: 'done' | 'current' | 'waiting';
  readonly title: string;
  /** What the step created, shown once it is done. */
  readonly result?: ReactNode;
  readonly children?: ReactNode;
}

/** One step of the guide: a mark, its name, and what to do now or what it created. */
function FirstLicenseStep({ number, state, title, result, children }: FirstLicenseStepProps) {
  return (
    <li className={classes['step']} {...(state === 'current' && { 'aria-current': 'step' })}>
      <span className={classes['mark']} data-state={state} aria-hidden="true">
        {state === 'done' ? <Check size={14} strokeWidth={3} /> : number}
      </span>
      <Box style={{ minWidth: 0 }}>
        <Group gap="xs" mih={24} wrap="wrap">
          <Text size="md" fw={state === 'waiting' ? 400 : 500} {...(state === 'waiting' && { c: 'dimmed' })}>
            {title}
            <span className="visually-hidden">{state === 'done' ? ' (done)' : ''}</span>
          </Text>
          {state === 'done' && result}
        </Group>
        {children && (
          <Box mt="xs" maw={720}>
            {children}
          </Box>
        )}
      </Box>
    </li>
  );
}

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

/** Leads a new tenant to its first validated license. Its steps also complete when something happens elsewhere. */
export function FirstLicense({ steps, onClose }: FirstLicenseProps) {
  const surface = useSurface();
  const client = useQueryClient();
  // The key stays in the memory of this screen, for the validation. No cache, URL or storage contains it, except for the
  // moment in which the guides open.
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [isKeyShown, setKeyShown] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface) });
  const isDone = steps.validation;
  const mayWrite = surface.area === 'tenant' && allows(surface, 'licenses', 'create');
  const all = Object.values(steps);
  const close = (
    <Group gap="sm">
      <GuidesLink steps={steps} apiKey={apiKey} />
      <Button variant="default" size="xs" onClick={onClose}>
        Close the guide
      </Button>
    </Group>
  );
  return (
    <Section {...(isDone ? finished : waiting)} {...(isDone && { actions: close })}>
      <Hint role="status">
        {all.filter(Boolean).length} of {all.length} steps done
      </Hint>
      {!mayWrite && !isDone && (
        <Text>An owner or an admin of the tenant takes these steps. They appear here as they happen.</Text>
      )}
      {isDone && mayWrite && <NextSteps />}
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
        <Hint>
          Your application sends it in the header <code>X-API-Key</code>. The next step uses it once, from this page.
        </Hint>
      </SecretDialog>
    </Section>
  );
}
