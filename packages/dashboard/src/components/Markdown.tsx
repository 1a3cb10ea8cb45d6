import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from './Markdown.module.css';

// The parser is 40 KB, so only screens that show Markdown load it.
const Content = lazy(() => import('./MarkdownContent.tsx'));

/** Markdown as text with links. */
export function Markdown({ children }: { readonly children: string }) {
  return (
    <Suspense fallback={<Skeleton h={80} />}>
      <div className={classes['markdown']}>
        <Content>{children}</Content>
      </div>
    </Suspense>
  );
}
