import { Group, Stack, Text } from '@mantine/core';
import type { Overview } from '../../api/overview.ts';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { count, truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';

/** The licenses that expire first. */
export function ExpiringLicenses({ overview }: { readonly overview: Overview }) {
  const { expiring_licenses: licenses, expiring_soon_days: days } = overview;
  return (
    <Section title="Expiring next">
      {licenses.length === 0 ? (
        <Text c="dimmed" size="md">
          No active license expires within {count(days, 'day')}.
        </Text>
      ) : (
        <Stack component="ul" gap={12} m={0} p={0} style={{ listStyle: 'none' }}>
          {licenses.map(({ id, key, holder_name: holder, product_name: product, expires_at: expiresAt }) => (
            <Group component="li" key={id} justify="space-between" wrap="nowrap" gap="sm">
              <Stack gap={0} style={{ minWidth: 0 }}>
                <SurfaceLink to={`/licenses/${id}`} size="md" truncate {...(holder === null && { ff: 'monospace' })}>
                  {holder ?? truncateMiddle(key, 20)}
                </SurfaceLink>
                <Text size="sm" c="dimmed" truncate>
                  {product}
                </Text>
              </Stack>
              <Text size="md" component="div" style={{ flexShrink: 0 }}>
                <TimeText value={expiresAt} format="relative" />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}
