// Each form posts its fields as JSON to its data-action, then follows the redirect_url of the response.

function problemsOf(error) {
  if (!error.details) return error.message;
  return error.details.map((detail) => `${detail.field.replaceAll('_', ' ')} ${detail.message}`).join('; ');
}

async function submit(form) {
  const response = await fetch(form.dataset.action, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new FormData(form))),
  });
  const { data, error } = await response.json();
  if (error) return problemsOf(error);
  if (data.redirect_url === null) location.reload();
  else location.assign(data.redirect_url);
  return '';
}

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    const outcome = form.querySelector('[role=status]');
    button.disabled = true;
    outcome.textContent = '';
    try {
      outcome.textContent = await submit(form);
    } catch {
      outcome.textContent = 'The service cannot be reached. Check your connection and try again.';
    } finally {
      button.disabled = false;
    }
  });
}
