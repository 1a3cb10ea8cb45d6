import { custom } from './custom/custom.ts';
import { gumroad } from './gumroad/gumroad.ts';
import { lemonSqueezy } from './lemonsqueezy/lemonsqueezy.ts';
import { paddle } from './paddle/paddle.ts';
import { polar } from './polar/polar.ts';
import type { Provider, Shop } from './shop.ts';
import { stripe } from './stripe/stripe.ts';

/** THE list of the shops that this version knows. A shop without an entry cannot be connected. */
export const shops: { readonly [Name in Provider]?: Shop } = {
  stripe,
  paddle,
  lemonsqueezy: lemonSqueezy,
  polar,
  gumroad,
  custom,
};
