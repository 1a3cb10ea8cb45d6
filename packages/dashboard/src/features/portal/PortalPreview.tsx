import { Paper } from '@mantine/core';
import { useMemo } from 'react';
import { Section } from '../../components/Section.tsx';
import { useFrameValue } from '../../components/use-frame-value.ts';
import type { PortalValues } from './values.ts';

interface PortalPreviewProps {
  readonly values: PortalValues;
  readonly tenantName: string;
  readonly supportEmail: string | null;
}

const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/** Shows the page of a license with the values of the form: the portal's own page, with sample data. */
export function PortalPreview({ values, tenantName, supportEmail }: PortalPreviewProps) {
  const { display_name, logo, accent_color, support_url, permissions } = values;
  const name = display_name.trim() === '' ? tenantName : display_name;
  const message = useMemo(
    () => ({
      previewedBrand: {
        display_name: name,
        logo_url: logo,
        accent_color: isColor(accent_color) ? accent_color : null,
        support_email: supportEmail,
        support_url: support_url.trim() === '' ? null : support_url,
        permissions,
      },
    }),
    [name, logo, accent_color, support_url, permissions, supportEmail],
  );
  const frame = useFrameValue(message, window.location.origin);
  return (
    <Section title="Preview" description="What a customer sees after logging in, with sample data.">
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <iframe
          ref={frame}
          title={`Preview of the portal of ${name}`}
          src="/portal/_preview"
          width="100%"
          height={760}
          style={{ border: 0, display: 'block' }}
        />
      </Paper>
    </Section>
  );
}
