import { Badge, NavLink, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useContext } from 'react';
import { unreadCountQuery } from '../api/notifications.ts';
import type { Surface } from '../surfaces.ts';
import classes from './NavigationList.module.css';
import type { NavigationGroup, NavigationItem } from './navigation.ts';
import { PathLink } from './PathLink.tsx';
import { useMe } from './SignedIn.tsx';
import { SurfaceContext } from './surface-context.ts';

/** The paths that have no entry of their own belong to the entry of their list. */
const parents: readonly (readonly [path: string, parent: string])[] = [['/webhook-deliveries', '/webhook-endpoints']];

function entryPath(pathname: string): string {
  const pair = parents.find(([path]) => pathname.includes(`${path}/`));
  return pair === undefined ? pathname : pathname.replace(pair[0], pair[1]);
}

function isCurrent(pathname: string, { path }: NavigationItem): boolean {
  const at = entryPath(pathname);
  // Every page of the platform is below its home, and every page of a tenant below the tenant's own page.
  const isExact = path === '/admin' || /^\/admin\/tenants\/[^/]+$/.test(path);
  return at === path || (!isExact && at.startsWith(`${path}/`));
}

/** The links of the navigation; the current page's is marked. */
export function NavigationList({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const surface = useContext(SurfaceContext);
  return (
    <Stack gap="sm" pb="md">
      {groups.map(({ heading, items }) => (
        <div key={items[0]?.path ?? heading}>
          {heading !== null && (
            <Text size="xs" fw={500} c="dimmed" px={8} py={4}>
              {heading}
            </Text>
          )}
          {items.map((item) => {
            const Icon = item.icon;
            const active = isCurrent(pathname, item);
            return (
              <NavLink
                key={item.path}
                component={PathLink}
                activeOptions={{ exact: true }}
                to={item.path}
                label={item.label}
                active={active}
                aria-current={active ? 'page' : undefined}
                leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden="true" />}
                rightSection={
                  surface?.area === 'tenant' && item.path === '/notifications' && <UnreadBadge surface={surface} />
                }
                className={classes['link'] ?? ''}
              />
            );
          })}
        </div>
      ))}
    </Stack>
  );
}

/** The largest number that the service counts. */
const countedMax = 100;

/** The number of unread notifications of a tenant that can be used. */
function UnreadBadge({ surface }: { readonly surface: Surface }) {
  const isActive = useMe().tenants.some(({ id, status }) => id === surface.tenantId && status === 'active');
  const { data } = useQuery({ ...unreadCountQuery(surface), enabled: isActive });
  if (data === undefined || data.count === 0) return null;
  return (
    <Badge size="sm" radius="xl" variant="filled" className="tabular">
      {data.count >= countedMax ? `${countedMax - 1}+` : data.count}
      <span className="visually-hidden"> unread</span>
    </Badge>
  );
}
