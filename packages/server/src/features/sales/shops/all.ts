import { custom } from './custom/custom.ts';
import type { Provider, Shop } from './shop.ts';

/** THE list of the shops that this version knows. A shop without an entry cannot be connected. */
export const shops: { readonly [Name in Provider]?: Shop } = { custom };
