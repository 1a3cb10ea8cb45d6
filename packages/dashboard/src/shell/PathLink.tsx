import { Link } from '@tanstack/react-router';
import type { CSSProperties, FunctionComponent, ReactNode } from 'react';

interface PathLinkProps {
  /** A path of this application that is only known at run time. */
  readonly to: string;
  readonly search?: Readonly<Record<string, unknown>>;
  /** Whether the link counts as the current page's only on exactly its path. */
  readonly activeOptions?: { readonly exact: boolean };
  readonly className?: string | undefined;
  readonly style?: CSSProperties;
  readonly 'aria-label'?: string;
  readonly 'aria-current'?: 'page' | undefined;
  readonly children?: ReactNode;
}

/** A link to a path that the router's types cannot check, because it depends on the surface. */
export const PathLink = Link as unknown as FunctionComponent<PathLinkProps>;
