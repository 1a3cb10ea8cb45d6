import { Paper } from '@mantine/core';
import { useFrameValue } from '../../components/use-frame-value.ts';

interface MailFrameProps {
  readonly html: string;
  /** The width of the window in which the mail is shown; the whole width if absent. */
  readonly width?: number;
}

/**
 * Shows the HTML of a mail in a frame of its own. Its page permits the inline styles of mails, which the policy of this
 * page forbids, and it has no access to this page.
 */
export function MailFrame({ html, width }: MailFrameProps) {
  const frame = useFrameValue(html, '*');
  return (
    <Paper withBorder w="100%" maw={width ?? '100%'} mx="auto" style={{ overflow: 'hidden' }}>
      <iframe
        ref={frame}
        title="Preview of the mail"
        src="/mail-preview"
        sandbox="allow-scripts"
        width="100%"
        height={620}
        style={{ border: 0, display: 'block' }}
      />
    </Paper>
  );
}
