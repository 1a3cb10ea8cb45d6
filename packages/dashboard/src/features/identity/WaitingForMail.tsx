import { Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../../api/account.ts';
import { toProblem } from '../../api/problem.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { logOut } from '../../shell/log-out.ts';
import { AuthProblem } from './AuthProblem.tsx';
import { CheckMail } from './CheckMail.tsx';
import { ResendButton } from './ResendButton.tsx';
import { Verified } from './Verified.tsx';

const pollIntervalMs = 3_000;

/** Waits for the person to open the mailed link, in this browser or on another device. */
export function WaitingForMail() {
  const { data, error } = useQuery({
    ...accountQuery(),
    refetchInterval: ({ state }) => (state.data?.email_verified_at === null ? pollIntervalMs : false),
  });
  if (data && data.email_verified_at !== null) return <Verified />;
  return (
    <CenteredPage
      title="Check your mail"
      footer={
        <>
          Is this the wrong address?{' '}
          <Anchor component="button" type="button" size="md" underline="always" onClick={() => void logOut('tenant')}>
            Log out
          </Anchor>
        </>
      }
    >
      {data === undefined && error === null && <Skeleton h={120} />}
      {data === undefined && error !== null && <AuthProblem problem={toProblem(error)} />}
      {data !== undefined && (
        <CheckMail email={data.email} actions={<ResendButton email={data.email} />}>
          Open the link that we sent you to verify your address. This page continues by itself.
        </CheckMail>
      )}
    </CenteredPage>
  );
}
