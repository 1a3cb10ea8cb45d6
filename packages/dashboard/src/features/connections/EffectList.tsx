import { Stack, Text } from '@mantine/core';
import type { SaleEvent } from '../../api/sales.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { effectText } from './words.ts';

/** Without a window, a message about a thousand licenses would fill the page. */
const shownMax = 3;

/** What a message did, as links to the licenses. */
export function EffectList({ event, isShort = false }: { readonly event: SaleEvent; readonly isShort?: boolean }) {
  const { effects, reason, state } = event;
  if (effects.length === 0) {
    return (
      <Text span inherit c="dimmed" style={{ whiteSpace: 'normal' }} {...(isShort && { lineClamp: 2 })}>
        {reason ?? (state === 'pending' ? 'Waits to be applied' : 'Nothing')}
      </Text>
    );
  }
  const shown = isShort ? effects.slice(0, shownMax) : effects;
  return (
    <Stack gap={0}>
      {shown.map(({ effect, license_id }) => (
        <Text span inherit key={`${effect} ${license_id}`}>
          {effectText(effect)}{' '}
          <SurfaceLink to={`/licenses/${license_id}`} inherit>
            license …{license_id.slice(-4)}
          </SurfaceLink>
        </Text>
      ))}
      {effects.length > shown.length && (
        <Text span size="sm" c="dimmed">
          and {effects.length - shown.length} more
        </Text>
      )}
    </Stack>
  );
}
