import { Box, Code } from '@mantine/core';
import classes from './CodeBlock.module.css';
import { CopyIcon } from './CopyableText.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** What the code is, for the copy button's name: "curl command". */
  readonly label: string;
  /** What the button copies, if the block shows a secret in part only. */
  readonly copied?: string;
}

/** Code to copy. A long line scrolls inside the block. */
export function CodeBlock({ code, label, copied = code }: CodeBlockProps) {
  return (
    <Box className={classes['frame']}>
      <Code block className={classes['code'] ?? ''} tabIndex={0} role="region" aria-label={label}>
        {code}
      </Code>
      <Box className={classes['copy']}>
        <CopyIcon value={copied} label={label} />
      </Box>
    </Box>
  );
}
