// What a backend does with the events of its licenses, whatever the framework: it welcomes customers and says goodbye.

/** The ids of the last events. Use a unique column of your database, in the transaction of your work. @type {Set<string>} */
const handled = new Set();
const maxHandled = 10_000;

/** @param {import('@licensing/sdk').WebhookEvent} event */
async function onEvent(event) {
  // Deliveries repeat and arrive in any order.
  if (handled.has(event.id)) return;
  if (event.type === 'license.created') await write(event.data.holder, 'Welcome! Your license is ready.');
  if (event.type === 'license.revoked')
    await write(event.data.holder, 'Your license has ended. Write to us if you did not expect this.');
  const [oldest] = handled;
  if (oldest !== undefined && handled.size >= maxHandled) handled.delete(oldest);
  // Only now: an error above has the service send the event again.
  handled.add(event.id);
}

/** Stands for a mail. @param {import('@licensing/sdk').LicenseHolder} holder @param {string} text */
async function write({ name, email }, text) {
  if (email === 'unreachable@example.com') throw new Error('The mail server does not answer.');
  console.log(`to ${name ?? 'a customer'}: ${text}`);
}

/** The options of each handler. During a rotation, LICENSING_WEBHOOK_SECRET has both secrets with a comma between them. */
export const options = { secret: (process.env.LICENSING_WEBHOOK_SECRET ?? '').split(','), onEvent };
