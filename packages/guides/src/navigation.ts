/** One heading of the navigation, with its pages in reading order. */
export interface NavigationSection {
  readonly title: string;
  /** URLs below `/docs`. The title of a page is in its front matter. */
  readonly pages: readonly string[];
}

/** THE order of the guides. A test compares it with the files of `pages`. The reference follows it. */
export const guideSections: readonly NavigationSection[] = [
  { title: 'Start', pages: ['/', '/quickstart/', '/run-the-service/', '/offline/'] },
  {
    title: 'Licensing models',
    pages: [
      '/models/',
      '/models/perpetual/',
      '/models/subscription/',
      '/models/trial/',
      '/models/floating/',
      '/models/node-locked/',
      '/models/metered/',
      '/models/feature-tiers/',
    ],
  },
  {
    title: 'Integrate',
    pages: [
      '/sdks/typescript/',
      '/sdks/python/',
      '/sdks/go/',
      '/sdks/c/',
      '/sdks/other-languages/',
      '/browser/',
      '/api-keys-and-access-tokens/',
      '/webhooks/',
      '/rate-limits/',
      '/security/',
    ],
  },
  {
    title: 'Sell licenses',
    pages: [
      '/shops/',
      '/shops/stripe/',
      '/shops/paddle/',
      '/shops/lemonsqueezy/',
      '/shops/polar/',
      '/shops/gumroad/',
      '/shops/custom/',
    ],
  },
  { title: 'Your customers', pages: ['/mails-to-customers/', '/portal/', '/releases/', '/many-licenses/'] },
  {
    title: 'Frameworks and tools',
    pages: ['/react/', '/nextjs/', '/electron/', '/express/', '/docker/', '/ci/'],
  },
  {
    title: 'Migrate',
    pages: ['/migrating-from-keygen/', '/migrating-from-cryptlex/', '/migrating-from-lemonsqueezy/'],
  },
  { title: 'Look up', pages: ['/glossary/', '/downloads/', '/errors/'] },
];
