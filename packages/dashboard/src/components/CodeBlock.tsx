import { Box, Code } from '@mantine/core';
import classes from './CodeBlock.module.css';
import { CopyIcon } from './CopyableText.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** What the code is, for the copy button's name: "curl command". */
  readonly label: string;
}

/** Code to copy. A long line scrolls inside the block. */
export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <Box className={classes['frame']}>
      <Code block className={classes['code'] ?? ''} tabIndex={0} role="region" aria-label={label}>
        {code}
      </Code>
      <Box className={classes['copy']}>
        <CopyIcon value={code} label={label} />
      </Box>
    </Box>
  );
}
