import { Anchor, type AnchorProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Surface } from '../surfaces.ts';
import { PathLink } from './PathLink.tsx';
import { useSurface } from './surface-context.ts';

type Search = Readonly<Record<string, unknown>>;

/** Returns the URL path of a tenant's screen on a surface: `/licenses/1` or `/admin/tenants/…/licenses/1`. */
export function pathOn(surface: Surface, path: string): string {
  return `${surface.prefix}${path}`;
}

interface SurfaceLinkProps extends AnchorProps {
  /** The path of the screen on the tenant's surface, such as `/licenses/1`. */
  readonly to: string;
  readonly search?: Search;
  readonly children: ReactNode;
}

/** A link to a tenant's screen that stays on the surface of the current screen. */
export function SurfaceLink({ to, search, children, ...props }: SurfaceLinkProps) {
  const surface = useSurface();
  return (
    <Anchor component={PathLink} to={pathOn(surface, to)} {...(search && { search })} {...props}>
      {children}
    </Anchor>
  );
}

/** Returns a function that opens a tenant's screen on the surface of the current screen. */
export function useSurfaceNavigate() {
  const surface = useSurface();
  const navigate = useNavigate();
  return (path: string, options: { readonly search?: Search; readonly replace?: boolean } = {}) =>
    navigate({ to: pathOn(surface, path), ...options } as object);
}
