import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { mailsKey, mailsQuery, sendLicenseMail } from '../../api/holder-mails.ts';
import type { License } from '../../api/licenses.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Hint } from '../../components/Texts.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { Send } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { HolderMailTable } from './HolderMailTable.tsx';

interface LicenseMailsProps {
  readonly license: License;
  readonly cursor: string | undefined;
}

/** The mails about a license, and the button that sends its key to the holder. */
export function LicenseMails({ license, cursor }: LicenseMailsProps) {
  const surface = useSurface();
  const { email } = license.holder;
  const attempt = useRef(newIdempotencyKey());
  const query = useQuery(mailsQuery(surface, { license_id: license.id, ...(cursor !== undefined && { cursor }) }));
  const send = useAction({
    run: () => sendLicenseMail(surface, { license_id: license.id }, attempt.current),
    invalidates: [mailsKey(surface)],
    success: `The license is sent to ${email}.`,
  });
  return (
    <Stack gap="md">
      {allows(surface, 'mails', 'act') && license.status !== 'revoked' && (
        <Stack gap={4} align="flex-start">
          <ActionButton
            icon={Send}
            label="Send to the customer"
            variant="default"
            disabled={email === null}
            loading={send.isPending}
            onClick={() => {
              attempt.current = newIdempotencyKey();
              send.mutate(undefined, { onError: showProblem });
            }}
          />
          <Hint>
            {email === null
              ? 'The license has no email address of a customer. Edit the license to enter one.'
              : `This sends the license key to ${email}.`}
          </Hint>
        </Stack>
      )}
      <HolderMailTable
        caption="Mails about the license"
        query={query}
        withLicense={false}
        empty="The customer has received no mail about this license."
      />
    </Stack>
  );
}
