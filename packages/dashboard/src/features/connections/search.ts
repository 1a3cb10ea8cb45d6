import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of connections. */
export const connectionsSearch = searchOf({ cursor: text });

/** The search parameters of the first step of connecting a shop. */
export const newConnectionSearch = searchOf({
  provider: oneOf(['stripe', 'paddle', 'lemonsqueezy', 'polar', 'gumroad', 'custom']),
});

/** The search parameters of the second and third step. */
export const setupSearch = searchOf({ step: oneOf(['address', 'offers']), item: text });

const connectionTabs = ['sales', 'messages', 'offers', 'comparison'] as const;
export const saleStates = ['pending', 'active', 'past_due', 'paused', 'ended', 'refunded', 'disputed'] as const;
export const saleProblems = ['any', 'unmapped', 'limit_reached', 'too_many', 'refused', 'unusable'] as const;
export const eventStates = ['pending', 'applied', 'nothing', 'failed'] as const;
export const differenceStates = ['open', 'applied'] as const;

/** The search parameters of a connection's page. The filters belong to the open tab. */
export const connectionSearch = searchOf({
  tab: oneOf(connectionTabs),
  panel: oneOf(['edit']),
  cursor: text,
  q: text,
  /** Of a sale or a message. */
  state: oneOf([...saleStates, ...eventStates]),
  problem: oneOf(saleProblems),
  /** The opened sale. */
  sale: text,
  /** The opened message. */
  event: text,
  /** The open form of an offer: `new`, an id of the shop, or the id of an offer. */
  item: text,
  comparison: text,
  difference: oneOf(differenceStates),
  /** The message of the test sale that is shown as a picture, and its checkout. */
  test: text,
  checkout: text,
});
