import { custom } from './custom/custom.ts';
import { paddle } from './paddle/paddle.ts';
import type { Provider, Shop } from './shop.ts';
import { stripe } from './stripe/stripe.ts';

/** THE list of the shops that this version knows. A shop without an entry cannot be connected. */
export const shops: { readonly [Name in Provider]?: Shop } = { stripe, paddle, custom };
