import { Group, Text } from '@mantine/core';
import { Eye } from '../icons/icons.gen.ts';
import { classNames } from '../lib/class-names.ts';
import classes from './Banner.module.css';

/** Says why no screen offers a change to an admin whose role only reads. */
export function AuditorBanner({ tenant }: { readonly tenant?: string }) {
  return (
    <Group className={classNames(classes['banner'], classes['noted'])} gap={8} wrap="nowrap">
      <Eye size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm">
        {tenant === undefined ? (
          'As an auditor, you can read the platform, every tenant and billing. You can change only your own account.'
        ) : (
          <>
            You are viewing <b>{tenant}</b> as an auditor. You cannot change anything here.
          </>
        )}
      </Text>
    </Group>
  );
}
