import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const productErrors = {
  'PRODUCT.NOT_FOUND': explain(
    'No product of the tenant has this code or id.',
    'Check the code; the list of products shows it.',
  ),
  'PRODUCT.CODE_TAKEN': explain('Another product has this code.', 'Choose another code.'),
  'PRODUCT.IN_USE': explain(
    'The product has policies or releases.',
    'Delete its policies and drafts first, or archive the product.',
  ),
  'PRODUCT.ARCHIVED': explain(
    'The product is archived, so no licenses of it are issued.',
    'Unarchive the product, or choose a policy of another product.',
  ),
} satisfies ErrorExplanations;
