import { Tabs } from '@mantine/core';
import type { DeveloperSnapshot } from '../../api/dev-tools.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';

const languages = [
  { value: 'curl', label: 'curl', copied: 'curl command' },
  { value: 'typescript', label: 'TypeScript', copied: 'TypeScript program' },
  { value: 'python', label: 'Python', copied: 'Python program' },
] as const;

/** The code that validates a license, in each language. */
export function Snippets({ snippets }: { readonly snippets: DeveloperSnapshot['snippets'] }) {
  return (
    <Tabs defaultValue="curl">
      <Tabs.List aria-label="Language">
        {languages.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {languages.map(({ value, copied }) => (
        <Tabs.Panel key={value} value={value} pt="xs">
          <CodeBlock code={snippets[value].trimEnd()} label={copied} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
