import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { License } from '../../api/licenses.ts';
import { saleOfLicenseQuery } from '../../api/sales.ts';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { ExternalLink } from '../../icons/icons.gen.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allowsReading } from '../../surfaces.ts';
import { shops } from './shops.ts';
import { isTestSale } from './words.ts';

/** The sale that issued a license, with links to it here and in the shop; nothing if no sale did. */
export function LicenseSale({ license }: { readonly license: License }) {
  const surface = useSurface();
  const { data } = useQuery(saleOfLicenseQuery(surface, license.id));
  if (data === undefined || data === null) return null;
  const { sale, connection_id, provider } = data;
  const shop = shops[provider];
  const link = (text: string, search: Readonly<Record<string, unknown>> = {}) =>
    allowsReading(surface, 'connections') ? (
      <SurfaceLink to={`/connections/${connection_id}`} search={search}>
        {text}
      </SurfaceLink>
    ) : (
      text
    );
  return (
    <Section
      title={isTestSale(sale) ? 'Test sale' : 'Sale'}
      description={
        isTestSale(sale)
          ? 'Somebody sent this sale as a test, and nobody paid anything. You can delete the license.'
          : 'This license follows a sale. What changes there changes it here.'
      }
    >
      <Facts
        cols={4}
        items={[
          { label: 'Shop', value: link(shop.name) },
          {
            label: sale.kind === 'subscription' ? 'Subscription' : 'Purchase',
            value: (
              <Group gap={8}>
                {link(truncateMiddle(sale.external_id, 24), { sale: sale.id })}
                <StatusBadge status={sale.state} />
              </Group>
            ),
          },
          { label: 'Paid until', value: <TimeText value={sale.paid_until} format="last-day" fallback="No end" /> },
          ...(sale.shop_url === null
            ? []
            : [{ label: 'In the shop', value: <ShopLink url={sale.shop_url} shop={shop.name} /> }]),
        ]}
      />
    </Section>
  );
}

function ShopLink({ url, shop }: { readonly url: string; readonly shop: string }) {
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit>
      <Group gap={4} wrap="nowrap" component="span">
        Open in {shop} <ExternalLink size={13} aria-hidden="true" />
      </Group>
    </Anchor>
  );
}
