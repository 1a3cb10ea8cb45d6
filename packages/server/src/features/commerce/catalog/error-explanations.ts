import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const catalogErrors = {
  'CATALOG_PRODUCT.CODE_TAKEN': explain('Another catalog product has this code.', 'Choose another code.'),
  'CATALOG_PRODUCT.IN_USE': explain('The catalog product has plans.', 'Delete its plans first.'),
} satisfies ErrorExplanations;
