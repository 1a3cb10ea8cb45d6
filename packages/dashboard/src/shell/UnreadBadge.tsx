import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unreadCountQuery } from '../api/notifications.ts';
import type { Surface } from '../surfaces.ts';
import { useMe } from './SignedIn.tsx';

/** The largest number that the service counts. */
const countedMax = 100;

/** The number of unread notifications of a tenant that can be used. */
export function UnreadBadge({ surface }: { readonly surface: Surface }) {
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
