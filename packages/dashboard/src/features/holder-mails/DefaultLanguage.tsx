import { Select } from '@mantine/core';
import type { MailSettings } from '../../api/holder-mails.ts';
import { Section } from '../../components/Section.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { mailLanguageCodes, mailLanguages } from './mail-types.ts';
import { useChangeSettings } from './use-change-settings.ts';

/** The language of mails to customers whose language is unknown. */
export function DefaultLanguage({ settings }: { readonly settings: MailSettings }) {
  const surface = useSurface();
  const { change, isPending } = useChangeSettings();
  return (
    <Section
      title="Language"
      description="A customer gets mails in the language in which the customer used the portal last. Each mail has a text in English, German and French."
    >
      <Select
        label="Language for customers who have not used the portal"
        data={mailLanguageCodes.map((code) => ({ value: code, label: mailLanguages[code] }))}
        value={settings.default_language}
        onChange={(code) => code !== null && change({ default_language: code })}
        allowDeselect={false}
        disabled={isPending || !allows(surface, 'mail-settings', 'update')}
        maw={420}
      />
    </Section>
  );
}
