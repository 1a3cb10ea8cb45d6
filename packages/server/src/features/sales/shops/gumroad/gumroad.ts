import { createHash } from 'node:crypto';
import { parseForm } from '../../../../http/form-text.ts';
import { idOf, parseObject, textOf } from '../fields.ts';
import {
  MessageUnreadableError,
  type Reading,
  type ReceivedMessage,
  type Shop,
  type VerifiedMessage,
} from '../shop.ts';
import { refuseBody } from '../signatures.ts';
import { gumroadApi } from './api.ts';

/**
 * Returns a field of a ping: `x-www-form-urlencoded`, or JSON if a resource subscription asks for it. A form with too
 * many fields has none.
 */
function fieldReader(body: Buffer): (name: string) => string | null {
  const json = parseObject(body);
  if (json !== undefined) return (name) => idOf(json[name]);
  const form = parseForm(body.toString('utf8'));
  return (name) => textOf(form?.get(name));
}

/**
 * Gumroad signs nothing: whoever knows the address can send a ping. It is stored under the hash of its body, and nothing in it
 * is believed or stored but the id of the object that the API is asked for.
 */
function verify({ body }: ReceivedMessage): VerifiedMessage {
  const field = fieldReader(body);
  const hasObject = field('sale_id') !== null || field('subscription_id') !== null;
  const type = field('resource_name') ?? 'sale';
  return hasObject ? { id: createHash('sha256').update(body).digest('hex'), type, occurredAt: null } : refuseBody();
}

function keepOfUnsigned(body: Buffer): Buffer {
  const field = fieldReader(body);
  return Buffer.from(
    JSON.stringify({ sale_id: idOf(field('sale_id')), subscription_id: idOf(field('subscription_id')) }),
  );
}

/** Returns the object that a ping is about: its subscription, or else its sale. */
function read(body: Buffer): Reading {
  const field = fieldReader(body);
  const subscription = idOf(field('subscription_id'));
  const sale = idOf(field('sale_id'));
  const kind = subscription === null ? 'sale' : 'subscription';
  const id = subscription ?? sale;
  if (id === null) throw new MessageUnreadableError('The body is not a ping of Gumroad.');
  return { facts: [], ignoredBecause: null, objects: [{ kind, id }], aliases: [] };
}

/** Gumroad. A sale is a subscription, or the sale of a product that is paid once; an offer is a product. */
export const gumroad: Shop = {
  provider: 'gumroad',
  verify,
  keepOfUnsigned,
  read,
  api: gumroadApi,
  // The dashboard's list of customers has no page of a sale.
  saleUrl: () => null,
};
