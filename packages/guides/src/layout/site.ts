import type { NavigationSection } from '../navigation.ts';

/** The path of the site on the service. */
export const sitePath = '/docs';

/** What every page of the site shares. */
export interface Site {
  /** The URLs of scripts, styles and fonts, by their name without the hash. */
  readonly assets: Readonly<Record<string, string>>;
  readonly sections: readonly NavigationSection[];
  /** The version of the service. */
  readonly version: string;
}

/** A page as the layout needs it. */
export interface Page {
  /** Below `/docs`, with a slash at the end. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly content: string;
  /** A page without a table of contents beside it, such as the start page. */
  readonly wide: boolean;
}

/** The title of each page by its URL. */
export type Titles = ReadonlyMap<string, string>;

/** Returns the URL of an asset. Throws if the build has not made it. */
export function assetUrl({ assets }: Site, name: string): string {
  const url = assets[name];
  if (url === undefined)
    throw new Error(`There is no asset ${name}: the build makes ${Object.keys(assets).join(', ')}.`);
  return url;
}
