import { Group, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from '../icons/icons.gen.ts';
import { truncateMiddle } from '../lib/text.ts';
import classes from './CopyableText.module.css';
import { useHoverTooltip } from './use-hover-tooltip.tsx';

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
  const { copied, copy } = useClipboard({ timeout: 2_000 });
  const name = copied ? `Copied ${label}` : `Copy ${label}`;
  const [target, tooltip] = useHoverTooltip<HTMLButtonElement>(() => (copied ? 'Copied' : name));
  return (
    <>
      <button
        {...target}
        type="button"
        className={classes['copy']}
        aria-label={name}
        onClick={(event) => {
          event.stopPropagation();
          copy(value);
        }}
      >
        {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      </button>
      {tooltip}
    </>
  );
}
