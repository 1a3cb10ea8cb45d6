import type { LiveRoute } from '../support/routes.ts';
import { accepts, lengthOf, type TextField } from './hostile-requests.ts';
import { type HostileText, hostileTexts, worstTexts } from './hostile-texts.ts';

/** From these lengths on, a text that takes quadratic or cubic time shows. A shorter one shows only exponential time. */
const [quadraticLength, cubicLength] = [10_000, 1_000];

/** Returns the share of all texts for a field: all for long fields. Short fields are too many for all. */
function shareFor(length: number): number {
  if (length >= quadraticLength) return 1;
  return length >= cubicLength ? 4 : 8;
}

/**
 * Chooses the texts for each route. Many routes have fields with the same schema and the same reader: the first of them
 * receives the texts that can be slow for its length, and the others receive the worst text. Where the first receives only
 * a part of the texts, each field receives another part.
 */
export function createChoice(fieldsOf: (route: LiveRoute) => readonly TextField[]) {
  const tried = new Set<string>();
  let turn = 0;
  return (route: LiveRoute): readonly HostileText[] => {
    const fields = fieldsOf(route);
    const fresh = fields.filter(({ reader }) => !tried.has(reader));
    for (const { reader } of fresh) tried.add(reader);
    const isAccepted = (ofFields: readonly TextField[]) => (text: HostileText) =>
      ofFields.some((field) => accepts(field, text));
    const worst = worstTexts.filter(isAccepted(fields));
    if (fresh.length === 0) return worst.slice(0, 1);
    const share = shareFor(Math.max(...fresh.map(lengthOf)));
    turn += 1;
    const rest = hostileTexts.filter(isAccepted(fresh)).filter((_text, index) => (index + turn) % share === 0);
    const others = rest.filter(({ title }) => !worst.some((one) => one.title === title));
    return [...worst, ...others];
  };
}
