import type { Page } from '../../../../tools/browser/chromium.ts';
import { cardInput, type cardNumbers } from '../../../server/test/payments/sandbox-data.ts';

/** Enters a test card on the page of the payment sandbox that is open, and pays. The button names the amount. */
export async function payWithCard(page: Page, name: keyof typeof cardNumbers): Promise<void> {
  const card = cardInput(name);
  await page.getByLabel('Card number').fill(card.card_number);
  await page.getByLabel('Expiry').fill(card.expiry);
  await page.getByLabel('CVC').fill(card.cvc);
  await page.getByRole('button', { name: /^Pay / }).click();
}
