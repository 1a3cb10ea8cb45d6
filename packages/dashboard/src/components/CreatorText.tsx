import { Stack, Text } from '@mantine/core';
import { TimeText } from './TimeText.tsx';

export interface CreatorTextProps {
  readonly at: string;
  readonly creator: { readonly type: string; readonly name?: string | null } | null;
  /** What to say instead of an unknown name. */
  readonly unknown?: string;
}

function nameOf({ creator, unknown = 'A former member' }: Pick<CreatorTextProps, 'creator' | 'unknown'>): string {
  if (creator === null) return 'The service';
  if (creator.type === 'admin') return 'A platform admin';
  return creator.name ?? unknown;
}

/** Who created a credential, and when. */
export function CreatorText({ at, creator, unknown }: CreatorTextProps) {
  return (
    <Stack gap={0}>
      <Text size="md" truncate maw={180}>
        {nameOf({ creator, ...(unknown !== undefined && { unknown }) })}
      </Text>
      <Text size="sm" c="dimmed">
        <TimeText value={at} format="date" />
      </Text>
    </Stack>
  );
}
