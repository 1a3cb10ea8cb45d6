/** One place that the search can find: a page, or a section of a page. */
export interface SearchDocument {
  readonly id: number;
  /** With the anchor of the section. */
  readonly url: string;
  /** The heading of the section, or the title of the page. */
  readonly heading: string;
  /** The title of the page, and its section of the navigation. */
  readonly page: string;
  readonly area: string;
  readonly text: string;
}
