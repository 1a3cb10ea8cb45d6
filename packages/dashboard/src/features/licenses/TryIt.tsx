import { Alert, Button, Code, Group, Paper, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type License, tryLicense, type ValidateLicense, type Verdict } from '../../api/licenses.ts';
import { type Problem, toProblem } from '../../api/problem.ts';
import type { Policy } from '../../api/tenant-catalog.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { CircleAlert, CircleCheck, Play, TriangleAlert } from '../../icons/icons.gen.ts';
import { formatExact } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface TryItProps {
  readonly license: License;
  readonly policy: Policy | undefined;
}

/** A verdict, and what the license was when it was given. */
interface Answer {
  readonly verdict: Verdict;
  readonly state: string;
}

/** Returns what changes when the verdict on a license may change. */
function stateOf({ updated_at, activations_count }: License): string {
  return `${updated_at} ${activations_count}`;
}

/** Validates the license as an application does, and shows the verdict beside the request as a curl command. */
export function TryIt({ license, policy }: TryItProps) {
  const surface = useSurface();
  const [fingerprint, setFingerprint] = useState('');
  const [entitlements, setEntitlements] = useState<string[]>([]);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isRunning, setRunning] = useState(false);
  const question: Partial<ValidateLicense> = {
    ...(fingerprint.trim() !== '' && { fingerprint: fingerprint.trim() }),
    ...(entitlements.length > 0 && { entitlements }),
  };
  const isOutdated = answer !== null && answer.state !== stateOf(license);
  const run = async () => {
    setRunning(true);
    setProblem(null);
    try {
      const verdict = await tryLicense(surface, license.id, { proof: false, ...question });
      setAnswer({ verdict, state: stateOf(license) });
    } catch (error) {
      setAnswer(null);
      setProblem(toProblem(error));
    } finally {
      setRunning(false);
    }
  };
  return (
    <Section
      title="Try it"
      description="See what your application would be told now. This changes nothing, and does not count as a validation."
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <Stack gap="sm">
            <TextInput
              label="Fingerprint"
              placeholder={policy?.require_activation ? 'Required by the policy' : 'Any device'}
              autoComplete="off"
              spellCheck={false}
              maxLength={255}
              value={fingerprint}
              onChange={({ currentTarget }) => setFingerprint(currentTarget.value)}
            />
            <TagsInput
              label="Entitlements"
              placeholder={entitlements.length === 0 ? 'All that the license grants' : ''}
              value={entitlements}
              onChange={setEntitlements}
              clearable
              clearButtonProps={{ 'aria-label': 'Clear Entitlements' }}
            />
            <CodeBlock code={curlOf(window.location.origin, license.key, question)} label="curl command" />
            <div>
              <Button type="submit" loading={isRunning} leftSection={<Play size={15} aria-hidden="true" />}>
                Validate
              </Button>
            </div>
          </Stack>
        </form>
        <div role="status" aria-label="Verdict">
          {answer !== null && !isOutdated ? (
            <VerdictResult verdict={answer.verdict} />
          ) : (
            <Paper p="lg" bg="transparent" style={{ borderStyle: 'dashed' }}>
              <Text c="dimmed" ta="center">
                {isOutdated
                  ? 'The license has changed since the last verdict. Validate it again.'
                  : 'The verdict appears here.'}
              </Text>
            </Paper>
          )}
          {problem !== null && <ErrorState problem={problem} />}
        </div>
      </SimpleGrid>
    </Section>
  );
}

/** The look of a verdict: valid, valid with a restriction, or refused. */
function lookOf({ valid, code }: Verdict) {
  if (!valid) return { color: 'red', Icon: CircleAlert, title: 'Not valid' };
  if (code !== 'LICENSE.VALID') return { color: 'yellow', Icon: TriangleAlert, title: 'Valid, with a warning' };
  return { color: 'teal', Icon: CircleCheck, title: 'Valid' };
}

/** A verdict: whether the license is valid, why, and the answer as the application receives it. */
function VerdictResult({ verdict }: { readonly verdict: Verdict }) {
  const { color, Icon, title } = lookOf(verdict);
  return (
    <Stack gap="sm">
      <Alert color={color} variant="light" icon={<Icon size={18} aria-hidden="true" />} p="sm">
        <Stack gap={4}>
          <Group gap="xs">
            <AlertText fw={600}>{title}</AlertText>
            <Code>{verdict.code}</Code>
          </Group>
          <AlertText>{verdict.detail}</AlertText>
          <Text size="xs" c="var(--mantine-color-text)" className="tabular">
            {formatExact(verdict.checked_at)}
          </Text>
        </Stack>
      </Alert>
      <div style={{ maxHeight: 260, overflow: 'auto' }}>
        <CodeBlock code={JSON.stringify(verdict, null, 2)} label="answer" />
      </div>
    </Stack>
  );
}

/** Returns a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the curl command that validates a license. The person replaces the placeholder of the API key. */
function curlOf(origin: string, key: string, body: object): string {
  return [
    'curl -X POST \\',
    `  ${quoted(`${origin}/api/v1/integration/licenses/${key}/validate`)} \\`,
    `  -H 'X-API-Key: YOUR_API_KEY' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');
}
