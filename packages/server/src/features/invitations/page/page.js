// The token stands behind `#`, which no browser sends to a server. It leaves the address bar at once.
const token = new URLSearchParams(location.hash.slice(1)).get('token');
history.replaceState(null, '', location.pathname);

const form = document.getElementById('acceptance');
const outcome = document.getElementById('outcome');

function show(message) {
  outcome.textContent = message;
}

async function accept() {
  const { name, password } = Object.fromEntries(new FormData(form));
  const response = await fetch('/api/v1/auth/accept-invitation', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: name.trim(), password }),
  });
  if (response.ok) {
    form.hidden = true;
    show('Welcome. You can log in with your e-mail address and the new password.');
    return;
  }
  const { error } = await response.json();
  show(error.details ? error.details.map((detail) => `${detail.field} ${detail.message}`).join('; ') : error.message);
}

if (token === null) {
  form.hidden = true;
  show('This link is incomplete. Open it again from the mail.');
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    await accept();
  } catch {
    show('The service cannot be reached. Try again in a moment.');
  } finally {
    button.disabled = false;
  }
});
