import { NavLink, Stack, Text } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import classes from './NavigationList.module.css';
import { type NavigationGroup, placeOf } from './navigation.ts';
import { PathLink } from './PathLink.tsx';
import { UnreadBadge } from './UnreadBadge.tsx';

/** The links of the menu; the entry of the current page is marked. */
export function NavigationList({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const current = placeOf(groups, pathname)?.entry;
  return (
    <Stack gap="sm" pb="md">
      {groups.map(({ heading, entries }) => (
        <div key={heading}>
          {heading !== null && (
            <Text size="xs" fw={500} c="dimmed" px={8} py={4}>
              {heading}
            </Text>
          )}
          {entries.map((entry) => {
            const { label, icon: Icon, screens } = entry;
            return (
              <NavLink
                key={label}
                component={PathLink}
                activeOptions={{ exact: true }}
                to={screens[0].path}
                label={label}
                active={entry === current}
                aria-current={entry === current ? 'page' : undefined}
                leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden="true" />}
                rightSection={<UnreadBadge of={screens} />}
                className={classes['link'] ?? ''}
              />
            );
          })}
        </div>
      ))}
    </Stack>
  );
}
