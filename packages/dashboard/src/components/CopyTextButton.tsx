import { Button, CopyButton } from '@mantine/core';
import { Check, Copy } from '../icons/icons.gen.ts';

/** Copies a text, and says so for a moment. */
export function CopyTextButton({ text }: { readonly text: string }) {
  return (
    <CopyButton value={text} timeout={4_000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={copied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  );
}
