import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { unreadCountQuery } from '../api/notifications.ts';
import type { Surface } from '../surfaces.ts';
import type { NavigationScreen } from './navigation.ts';
import { useMe } from './SignedIn.tsx';
import { SurfaceContext } from './surface-context.ts';

/** The largest number that the service counts. */
const countedMax = 100;

/** The number of a user's unread notifications, beside a link that leads to their screen. */
export function UnreadBadge({ of: screens }: { readonly of: readonly NavigationScreen[] }) {
  const surface = useContext(SurfaceContext);
  const isShown = surface?.area === 'tenant' && screens.some(({ path }) => path === '/notifications');
  return isShown ? <Count surface={surface} /> : null;
}

/** Tenants that cannot be used answer no question. */
function Count({ surface }: { readonly surface: Surface }) {
  const isActive = useMe().tenants.some(({ id, status }) => id === surface.tenantId && status === 'active');
  const { data } = useQuery({ ...unreadCountQuery(surface), enabled: isActive });
  if (data === undefined || data.count === 0) return null;
  return (
    <Badge size="sm" radius="xl" variant="filled" className="tabular">
      {data.count >= countedMax ? `${countedMax - 1}+` : data.count}
      <span className="visually-hidden"> unread notifications</span>
    </Badge>
  );
}
