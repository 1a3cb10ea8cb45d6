import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newestObjectsQuery } from '../../api/first-license.ts';
import type { Overview } from '../../api/overview.ts';
import { keyOf } from '../../api/query-client.ts';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { Section } from '../../components/Section.tsx';
import { truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import classes from './FirstLicense.module.css';
import { FirstKeyForm, FirstLicenseForm, FirstPolicyForm, FirstProductForm } from './FirstLicenseForms.tsx';
import { FirstLicenseStep } from './FirstLicenseStep.tsx';
import { FirstValidation } from './FirstValidation.tsx';

type Steps = Overview['first_steps'];
type StepName = keyof Steps;

const order: readonly StepName[] = ['product', 'policy', 'license', 'api_key', 'validation'];

interface FirstLicenseProps {
  readonly steps: Steps;
  readonly onClose: () => void;
}

/** Leads a new tenant from nothing to a validated license. Its steps also follow what happens elsewhere. */
export function FirstLicense({ steps, onClose }: FirstLicenseProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const { data: objects } = useQuery(newestObjectsQuery(surface, steps));
  // The key stays in the memory of this screen, for the validation. No cache, URL or storage contains it.
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [isKeyShown, setKeyShown] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface) });
  const done = order.filter((step) => steps[step]).length;
  const isDone = steps.validation;
  const current = order.find((step) => !steps[step]);
  const mayWrite = surface.area === 'tenant' && allows(surface, 'licenses', 'create');
  const { product = null, policy = null, license = null } = objects ?? {};
  const stateOf = (step: StepName) => {
    if (steps[step]) return 'done';
    return step === current ? 'current' : 'waiting';
  };
  const step = (name: StepName) => ({ number: order.indexOf(name) + 1, state: stateOf(name) }) as const;
  const isOpen = (name: StepName) => mayWrite && name === current;
  return (
    <Section
      title={isDone ? 'Your first license works' : 'Your first license'}
      description={
        isDone
          ? 'Build the check into your application next. The guides show how, for each language and license model.'
          : 'From a product to a license that your application can check. It takes about two minutes.'
      }
      actions={
        isDone && (
          <Group gap="sm">
            <Anchor href="/docs" size="md">
              Open the guides
            </Anchor>
            <Button variant="default" size="xs" onClick={onClose}>
              Close the guide
            </Button>
          </Group>
        )
      }
    >
      <Text size="sm" c="dimmed" role="status">
        {done} of {order.length} steps done
      </Text>
      {!mayWrite && !isDone && (
        <Text size="md">An owner or an admin of the tenant takes these steps. They appear here as they happen.</Text>
      )}
      <ol className={classes['steps']}>
        <FirstLicenseStep
          {...step('product')}
          title="Create a product"
          result={product !== null && <SurfaceLink to={`/products/${product.id}`}>{product.name}</SurfaceLink>}
        >
          {isOpen('product') && <FirstProductForm surface={surface} onSaved={refresh} />}
        </FirstLicenseStep>
        <FirstLicenseStep
          {...step('policy')}
          title="Choose how you license it"
          result={policy !== null && <SurfaceLink to={`/policies/${policy.id}`}>{policy.name}</SurfaceLink>}
        >
          {isOpen('policy') && product !== null && (
            <FirstPolicyForm surface={surface} productId={product.id} onSaved={refresh} />
          )}
        </FirstLicenseStep>
        <FirstLicenseStep
          {...step('license')}
          title="Issue a license"
          result={
            license !== null && (
              <SurfaceLink to={`/licenses/${license.id}`} ff="monospace">
                {truncateMiddle(license.key, 22)}
              </SurfaceLink>
            )
          }
        >
          {isOpen('license') && policy !== null && (
            <FirstLicenseForm surface={surface} policyId={policy.id} onSaved={refresh} />
          )}
        </FirstLicenseStep>
        <FirstLicenseStep
          {...step('api_key')}
          title="Create an API key"
          result={<SurfaceLink to="/api-keys">API keys</SurfaceLink>}
        >
          {isOpen('api_key') && (
            <FirstKeyForm
              surface={surface}
              onCreated={(key) => {
                setApiKey(key);
                setKeyShown(true);
              }}
            />
          )}
        </FirstLicenseStep>
        <FirstLicenseStep {...step('validation')} title="Validate the license">
          {license !== null && product !== null && steps.api_key && (
            <Stack gap="md">
              {mayWrite && apiKey === null && !isDone && (
                <FirstKeyForm
                  surface={surface}
                  hint="The keys that exist cannot be shown again, so the test needs a new one."
                  onCreated={(key) => {
                    setApiKey(key);
                    setKeyShown(true);
                  }}
                />
              )}
              <FirstValidation
                apiKey={apiKey}
                licenseKey={license.key}
                product={product.code}
                onValidated={refresh}
              />
            </Stack>
          )}
        </FirstLicenseStep>
      </ol>
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
