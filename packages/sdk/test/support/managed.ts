import type { Policy } from '../../src/api-types.ts';
import type { ManagementClient } from '../../src/index.ts';

/** Creates a policy of a year in a product of its own. */
export async function newPolicyOf({ products, policies }: ManagementClient, fields: object = {}): Promise<Policy> {
  const code = `p-${crypto.randomUUID()}`;
  const product = await products.create({ code, name: 'Editor' });
  return policies.create({ productId: product.id, code, name: 'Yearly', durationDays: 365, ...fields });
}

/** Returns everything that a list returns, page by page. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
