import { Button, Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Area } from '../../api/session.ts';
import { singleSignOnPath, singleSignOnQuery } from '../../api/single-sign-on.ts';

interface SingleSignOnButtonProps {
  readonly area: Area;
  /** The page to open after the login. */
  readonly next: string | undefined;
}

/** Leads to the provider of single sign-on, if people of this area can log in with it. */
export function SingleSignOnButton({ area, next }: SingleSignOnButtonProps) {
  const { data } = useQuery(singleSignOnQuery());
  if (data === undefined || !data.abilities.includes(area)) return null;
  return (
    <>
      <Divider label="or" labelPosition="center" />
      <Button component="a" href={singleSignOnPath(area, next)} variant="default" size="md" fullWidth>
        Continue with {data.name}
      </Button>
    </>
  );
}
