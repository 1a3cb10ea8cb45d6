import { Paper } from '@mantine/core';
import type { Connection } from '../../api/connections.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { shops } from './shops.ts';

/** The shop, its address and what the service may do there. */
export function ConnectionFacts({ connection }: { readonly connection: Connection }) {
  const { provider, webhook_url, last_event_at, has_api_key, compares_itself } = connection;
  const shop = shops[provider];
  return (
    <Paper p="md" component="section" aria-label="Connection">
      <Facts
        cols={4}
        items={[
          { label: 'Shop', value: shop.name },
          { label: 'Address', value: <CopyableText value={webhook_url} label="address" maxLength={34} /> },
          {
            label: 'Last message',
            value: <TimeText value={last_event_at} format="relative" fallback="None yet" />,
          },
          { label: 'API key', value: apiKeyText(shop.apiKey !== null, has_api_key, compares_itself) },
        ]}
      />
    </Paper>
  );
}

function apiKeyText(hasApi: boolean, hasKey: boolean, comparesItself: boolean): string {
  if (!hasApi) return 'Not needed';
  if (!hasKey) return 'None. Lost messages are not found.';
  return comparesItself ? 'Stored. Differences are corrected automatically.' : 'Stored. Differences are reported.';
}
