import { Button, Group, TagsInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { MailSettings } from '../../api/holder-mails.ts';
import { Section } from '../../components/Section.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { useChangeSettings } from './use-change-settings.ts';

const isDay = (text: string) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 365;

/** The days before the end of a license on which its holder is reminded. */
export function ReminderDays({ settings }: { readonly settings: MailSettings }) {
  const surface = useSurface();
  const { change, isPending } = useChangeSettings();
  const stored = settings.expiring_days.map(String);
  const [days, setDays] = useState(stored);
  const key = stored.join();
  // The service sorts the days.
  useEffect(() => setDays(key === '' ? [] : key.split(',')), [key]);
  const wrong = days.find((day) => !isDay(day));
  const mayChange = allows(surface, 'mail-settings', 'update');
  return (
    <Section
      title="Reminders before the end"
      description="How many days before its end the customer is reminded. A license whose whole term is shorter is not reminded on that day."
    >
      <Group align="flex-end" gap="xs">
        <TagsInput
          label="Days before the end"
          description="Press Enter after each number."
          value={days}
          onChange={setDays}
          maxTags={10}
          splitChars={[',', ' ', ';']}
          acceptValueOnBlur
          disabled={!mayChange}
          error={wrong === undefined ? undefined : `${wrong} is not a number of days from 1 to 365.`}
          comboboxProps={{ withinPortal: false }}
          style={{ flex: '1 1 220px', maxWidth: 420 }}
        />
        {mayChange && (
          <Button
            loading={isPending}
            disabled={wrong !== undefined || days.join() === key}
            onClick={() => change({ expiring_days: days.map(Number) })}
          >
            Save days
          </Button>
        )}
      </Group>
    </Section>
  );
}
