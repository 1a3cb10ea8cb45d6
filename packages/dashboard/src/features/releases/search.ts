import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The states of a release. */
export const releaseStatuses = ['draft', 'published', 'yanked'] as const;

/** The channels that updaters know; a vendor may have others. */
export const commonChannels = ['stable', 'beta', 'alpha'] as const;

const readers = { status: oneOf(releaseStatuses), channel: text, cursor: text, panel: oneOf(['new']) };

/** The search parameters of the list of a product's releases. */
export const releaseSearch = searchOf(readers);

/** The search parameters of a release's page. */
export const releaseDetailSearch = searchOf({ panel: oneOf(['edit']) });
