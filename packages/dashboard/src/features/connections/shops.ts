import type { Provider } from '../../api/connections.ts';
import type { IconComponent } from '../../icons/icon.ts';
import { Banknote, CircleDollarSign, Code, CreditCard, ShoppingBag, Waves } from '../../icons/icons.gen.ts';

/** What a vendor has to know of a shop to connect it. */
export interface Shop {
  readonly name: string;
  readonly icon: IconComponent;
  /** For whom it is, on its card. */
  readonly description: string;
  /** Where the address is entered and the secret is found, step by step. */
  readonly steps: readonly string[];
  /** The messages that the shop has to send; empty if it offers no choice. */
  readonly events: readonly string[];
  /** The signing secret of its messages; null if it does not sign them. */
  readonly secret: { readonly placeholder: string; readonly description: string } | null;
  /** Its API key; null if it has no API. */
  readonly apiKey: { readonly placeholder: string; readonly description: string; readonly isRequired: boolean } | null;
  /** What it calls an item, and where the id is. */
  readonly item: { readonly label: string; readonly placeholder: string; readonly description: string };
  /** What the shop replaces with the id of the checkout in the address to which it sends a buyer; null if it cannot. */
  readonly checkoutPlaceholder: string | null;
}

/** The shops, in the order in which the dashboard offers them. */
export const shops: Readonly<Record<Provider, Shop>> = {
  stripe: {
    name: 'Stripe',
    icon: CreditCard,
    description: 'Checkout, Payment Links and Billing.',
    steps: [
      'In Stripe, open Workbench, then Webhooks, and add a destination.',
      'Choose the events below, the payload style “Snapshot” and the type “Webhook endpoint”.',
      'Paste the address below and create the destination.',
      'On the page of the destination, reveal the signing secret and paste it here.',
    ],
    events: [
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.async_payment_failed',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
      'customer.subscription.paused',
      'customer.subscription.resumed',
      'invoice.paid',
      'invoice_payment.paid',
      'charge.refunded',
      'refund.failed',
      'charge.dispute.created',
      'charge.dispute.updated',
      'charge.dispute.closed',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated',
    ],
    secret: { placeholder: 'whsec_…', description: 'Begins with whsec_.' },
    apiKey: {
      placeholder: 'rk_live_…',
      description:
        'Developers, API keys, “Create restricted key”, with Read for Subscriptions, Checkout Sessions, Charges and Refunds, PaymentIntents, Disputes, Invoices, Customers, Products and Prices.',
      isRequired: false,
    },
    item: { label: 'Price', placeholder: 'price_…', description: 'The ID of the price, on the page of its product.' },
    checkoutPlaceholder: '{CHECKOUT_SESSION_ID}',
  },
  paddle: {
    name: 'Paddle',
    icon: Waves,
    description: 'Paddle Billing.',
    steps: [
      'In Paddle, open Developer tools, then Notifications, and choose “New destination”.',
      'Choose the type “Webhook”, paste the address below and choose the events below.',
      'Save the destination, then open “Edit destination” and copy its secret key.',
    ],
    events: ['subscription.* (all of them)', 'transaction.completed', 'adjustment.created', 'adjustment.updated'],
    secret: { placeholder: 'pdl_ntfset_…', description: 'Begins with pdl_ntfset_.' },
    apiKey: {
      placeholder: 'pdl_live_apikey_…',
      description:
        'Paddle’s messages contain no mail address, so without a key the customers get no mail. Developer tools, Authentication, API keys, with Read for subscriptions, transactions, adjustments, customers, prices and products.',
      isRequired: false,
    },
    item: { label: 'Price', placeholder: 'pri_…', description: 'The ID of the price, in Catalog, Products.' },
    checkoutPlaceholder: null,
  },
  lemonsqueezy: {
    name: 'Lemon Squeezy',
    icon: CircleDollarSign,
    description: 'Products with variants, once or by subscription.',
    steps: [
      'In Lemon Squeezy, open Settings, then Webhooks, and add a webhook.',
      'Paste the address below, and invent a signing secret of 8 to 40 characters. Enter the same secret here.',
      'Choose the events below and save the webhook.',
    ],
    events: ['order_* (all of them)', 'subscription_* (all of them)'],
    secret: { placeholder: '', description: 'The secret that you entered at Lemon Squeezy.' },
    apiKey: { placeholder: 'eyJ…', description: 'Settings, API, “+”.', isRequired: false },
    item: {
      label: 'Variant',
      placeholder: '123456',
      description: 'The ID of the variant: open the product, then the menu of the variant, and copy the ID.',
    },
    checkoutPlaceholder: null,
  },
  polar: {
    name: 'Polar',
    icon: ShoppingBag,
    description: 'Products, once or by subscription.',
    steps: [
      'In Polar, open Settings of your organization, then Webhooks, and add an endpoint.',
      'Paste the address below, choose the format “Raw” and the events below.',
      'Create the endpoint and copy its secret.',
    ],
    events: ['order.created', 'order.paid', 'order.updated', 'order.refunded', 'subscription.* (all of them)'],
    secret: { placeholder: 'polar_whs_…', description: 'The secret of the endpoint.' },
    apiKey: {
      placeholder: 'polar_oat_…',
      description:
        'Settings, “Organization access tokens”, with orders:read, subscriptions:read, products:read and disputes:read.',
      isRequired: false,
    },
    item: { label: 'Product', placeholder: '0194…', description: 'The ID of the product: in the menu of the product.' },
    checkoutPlaceholder: '{CHECKOUT_ID}',
  },
  gumroad: {
    name: 'Gumroad',
    icon: Banknote,
    description: 'Products and memberships.',
    steps: [
      'In Gumroad, open Settings, then Advanced, and create an application. Any redirect address will do.',
      'Generate an access token of the application. It needs to view your sales.',
      'On the same page, paste the address below into “Ping endpoint” and save the settings.',
      'Pings report sales only. The service finds refunds and ended memberships in its nightly comparison.',
    ],
    events: [],
    secret: null,
    apiKey: {
      placeholder: '',
      description:
        'Gumroad does not sign its messages. They are only hints, and the service reads each sale with this token.',
      isRequired: true,
    },
    item: {
      label: 'Product',
      placeholder: 'A-m3CDDC5dlrSdKZp0RFhA==',
      description: 'The product ID that Gumroad’s API names. Choose the product from the list, which shows its name.',
    },
    checkoutPlaceholder: null,
  },
  custom: {
    name: 'Your own shop',
    icon: Code,
    description: 'Any program that can send a signed request. Also the quickest way to try this out.',
    steps: [
      'Store the signing secret where your shop keeps its secrets.',
      'When something is sold, renewed or refunded, send a signed message to the address below.',
    ],
    events: [],
    secret: null,
    apiKey: null,
    item: { label: 'Item', placeholder: 'pro-yearly', description: 'Your own ID of what is sold.' },
    checkoutPlaceholder: 'CHECKOUT_ID',
  },
};

/** The shops as a list. */
export const providers = Object.keys(shops) as readonly Provider[];
