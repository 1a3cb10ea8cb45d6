import { Button, Paper, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { Policy } from '../../api/license-choices.ts';
import { type License, licensesKey, tryLicense, type ValidateLicense, type Verdict } from '../../api/licenses.ts';
import { type Problem, toProblem } from '../../api/problem.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Section } from '../../components/Section.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { curlOf } from './curl.ts';
import { VerdictResult } from './VerdictResult.tsx';

interface TryItProps {
  readonly license: License;
  readonly policy: Policy | undefined;
}

/** Validates the license as an application does, and shows the verdict beside the request as a curl command. */
export function TryIt({ license, policy }: TryItProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const [fingerprint, setFingerprint] = useState('');
  const [entitlements, setEntitlements] = useState<string[]>([]);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isRunning, setRunning] = useState(false);
  const question: Partial<ValidateLicense> = {
    ...(fingerprint.trim() !== '' && { fingerprint: fingerprint.trim() }),
    ...(entitlements.length > 0 && { entitlements }),
  };
  const startsTerm = policy?.expiry_basis === 'first_validation' && license.last_validated_at === null;
  const run = async () => {
    setRunning(true);
    setProblem(null);
    try {
      setVerdict(await tryLicense(surface, license.id, { proof: false, ...question }));
      await client.invalidateQueries({ queryKey: licensesKey(surface) });
    } catch (error) {
      setVerdict(null);
      setProblem(toProblem(error));
    } finally {
      setRunning(false);
    }
  };
  return (
    <Section
      title="Try it"
      description={
        startsTerm
          ? 'This is a real validation: the first valid one starts the term of this license.'
          : 'Ask what your application would be told now. It counts as a validation.'
      }
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
          {verdict === null ? (
            <Paper p="lg" bg="transparent" style={{ borderStyle: 'dashed' }}>
              <Text size="md" c="dimmed" ta="center">
                The verdict appears here.
              </Text>
            </Paper>
          ) : (
            <VerdictResult verdict={verdict} />
          )}
          {problem !== null && <ErrorState problem={problem} />}
        </div>
      </SimpleGrid>
    </Section>
  );
}
