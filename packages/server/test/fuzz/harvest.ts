import type { Answer } from '../support/harness.ts';
import type { LiveRoute } from '../support/routes.ts';

/** Values of earlier responses, so that requests use resources that other requests have created. */
export interface Harvest {
  /** Collects from a successful response to the owner of the tenant or its application. */
  collect(route: LiveRoute, answer: Answer): void;
  /** Returns the newest values of a field, such as `license_id`. */
  values(name: string): readonly string[];
}

/** The field that other resources name each kind by. Without credentials and people: requests would revoke them. */
const idsOfCollections: Readonly<Record<string, string>> = {
  products: 'product_id',
  policies: 'policy_id',
  licenses: 'license_id',
  activations: 'activation_id',
  entitlements: 'entitlement_id',
  notifications: 'notification_id',
  webhooks: 'webhook_id',
  'webhook-deliveries': 'delivery_id',
};

const plainFields = ['code', 'fingerprint', 'next_cursor'];
const keptPerName = 3;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of the collection that a path reads or changes, such as `products`. */
function collectionOf(path: string): string | undefined {
  return path.split('/').findLast((segment) => segment in idsOfCollections);
}

/** Lists the values of one resource that later requests may use, by the field that they use them in. */
function valuesOf(item: Readonly<Record<string, unknown>>, collection: string | undefined): [string, unknown][] {
  const values = plainFields.map((name): [string, unknown] => [name, item[name]]);
  if (collection === undefined) return values;
  if (collection === 'licenses') values.push(['key', item['key']]);
  return [...values, [idsOfCollections[collection] ?? '', item['id']]];
}

/** Creates an empty harvest. */
export function createHarvest(): Harvest {
  const kept = new Map<string, string[]>();
  const keep = (name: string, value: unknown) => {
    if (typeof value !== 'string' || value === '') return;
    const others = (kept.get(name) ?? []).filter((known) => known !== value);
    kept.set(name, [value, ...others].slice(0, keptPerName));
  };
  return {
    values: (name) => kept.get(name) ?? [],
    collect({ path }, { body }) {
      const items = [body?.data, body?.meta]
        .flat()
        .filter(isRecord)
        .slice(0, keptPerName + 1);
      for (const item of items) for (const [name, value] of valuesOf(item, collectionOf(path))) keep(name, value);
    },
  };
}
