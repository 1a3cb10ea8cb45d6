// Shared by the pages that mails link to: the token of the link, the form, and a line with the result.

// The token is in the fragment, which browsers do not send to the server. Only the link that mail programs post to has it
// in the query string. It is removed from the address bar at once.
const parameters = [location.hash.slice(1), location.search].map((text) => new URLSearchParams(text));
export const token = parameters.map((one) => one.get('token')).find((value) => value !== null) ?? null;
history.replaceState(null, '', location.pathname);

export const form = document.querySelector('form');
const outcome = document.getElementById('outcome');

export function show(message) {
  outcome.textContent = message;
}

/** Shows the message instead of the form. */
export function finish(message) {
  form.hidden = true;
  show(message);
}

/** A failure with an error envelope of the service. */
export class Refusal extends Error {
  constructor({ code, message, details }) {
    super(details ? details.map((detail) => detail.message).join(' ') : message);
    this.code = code;
  }
}

/** Posts JSON and returns `data` of the response. Throws a `Refusal`. */
export async function post(url, body, accessToken) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(accessToken && { authorization: `Bearer ${accessToken}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Refusal(answer.error);
  return answer.data;
}

/** Runs `work` with the fields of the form when the form is submitted. */
export function onSubmit(work) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      await work(Object.fromEntries(new FormData(form)));
    } catch (error) {
      show(error instanceof Refusal ? error.message : 'The service cannot be reached. Try again in a moment.');
    } finally {
      button.disabled = false;
    }
  });
}

if (token === null) finish('This link is incomplete. Open it again from the mail.');
