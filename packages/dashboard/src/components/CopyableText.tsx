import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { truncateMiddle } from '../lib/text.ts';

interface CopyableTextProps {
  readonly value: string;
  /** What the text is, for the copy button's name: `license key`. */
  readonly label: string;
  /** The number of characters that fit; the middle is left out. Absent: the whole text. */
  readonly maxLength?: number;
  readonly size?: 'xs' | 'sm' | 'md';
}

/** A key or an id in a monospaced font with a copy button. It never wraps. */
export function CopyableText({ value, label, maxLength, size = 'sm' }: CopyableTextProps) {
  const shown = maxLength === undefined ? value : truncateMiddle(value, maxLength);
  return (
    <Group gap={2} wrap="nowrap" component="span" style={{ display: 'inline-flex', maxWidth: '100%' }}>
      <Text span ff="monospace" size={size} title={shown === value ? undefined : value} truncate>
        {shown}
      </Text>
      <CopyIcon value={value} label={label} />
    </Group>
  );
}

interface CopyIconProps {
  readonly value: string;
  readonly label: string;
}

/** A button that copies a text and says that it did. */
export function CopyIcon({ value, label }: CopyIconProps) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
          <ActionIcon
            size={24}
            aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
            onClick={(event) => {
              event.stopPropagation();
              copy();
            }}
          >
            {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
