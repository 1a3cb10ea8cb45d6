import type { QueryClient } from '@tanstack/react-query';
import { policyChoicesQuery, productQuery } from '../../api/tenant-catalog.ts';
import type { Surface } from '../../surfaces.ts';
import { licenseFieldList } from './fields.ts';

const fieldColumns = licenseFieldList.flatMap(([name, { isInTemplate }]) => (isInTemplate ? [name] : []));
const columns = ['product', 'policy', 'key', 'holder_name', 'holder_email', 'holder_reference', ...fieldColumns];

/** The values of the sample row; the columns without one are empty. */
const sample: Readonly<Record<string, string>> = {
  product: 'editor',
  policy: 'yearly',
  key: 'MY-OWN-KEY-0001',
  holder_name: 'Ada Lovelace',
  holder_email: 'ada@example.com',
  holder_reference: 'CUSTOMER-17',
  max_activations: '3',
  order_number: 'ORDER-4711',
};

/** Returns a file for an import: its columns, and a sample row that names the newest policy of the tenant if there is one. */
export async function importTemplate(client: QueryClient, surface: Surface): Promise<Blob> {
  const [policy] = await client.fetchQuery(policyChoicesQuery(surface, undefined, ''));
  const product = policy && (await client.fetchQuery(productQuery(surface, policy.product_id)));
  const own = policy && product ? { product: product.code, policy: policy.code } : {};
  const values: Readonly<Record<string, string>> = { ...sample, ...own };
  const row = columns.map((name) => values[name] ?? '');
  return new Blob([`${columns.join()}\n${row.join()}\n`], { type: 'text/csv' });
}
