// Each form posts its fields as JSON to its data-action, then follows the redirect_url of the response. The form of a
// checkout also asks for the amounts whenever something changes that they depend on.

const unreachable = 'The service cannot be reached. Check your connection and try again.';

async function post(url, form) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new FormData(form))),
  });
  return await response.json();
}

/** Shows a problem at its field, or removes it. Returns the field, if the form has it. */
function showProblem(form, name, message) {
  const field = form.elements.namedItem(name);
  const place = document.getElementById(`${name}-problem`);
  if (!field || !place) return undefined;
  const label = field.labels[0].textContent.replace(' (optional)', '');
  place.textContent = message === '' || /^[A-Z]/.test(message) ? message : `${label} ${message}.`;
  if (message === '') field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
  return field;
}

function showProblems(form, problems, names) {
  for (const name of names) {
    const problem = problems.find(({ field }) => field === name);
    showProblem(form, name, problem ? problem.message : '');
  }
}

/** Says at the button which fields stopped the purchase. */
function checkText(form, problems) {
  const fields = problems.map(({ field }) => form.elements.namedItem(field)).filter(Boolean);
  const names = [...new Set(fields.map(({ labels }) => labels[0].textContent.replace(' (optional)', '')))];
  const coupon = problems.some(({ field }) => field === 'coupon')
    ? ' Correct the coupon code, or remove it to pay without a coupon.'
    : '';
  return `You have not been charged. Check these fields: ${names.join(', ')}.${coupon}`;
}

const namesOf = (form) => [...form.elements].flatMap(({ name }) => (name ? [name] : []));

async function submit(form) {
  const { data, error } = await post(form.dataset.action, form);
  if (error) {
    const problems = error.details ?? [];
    showProblems(form, problems, namesOf(form));
    const first = problems.map(({ field }) => form.elements.namedItem(field)).find(Boolean);
    first?.focus();
    // The field may be far from the button, as the coupon is.
    return first ? checkText(form, problems) : error.message;
  }
  if (data.redirect_url === null) location.reload();
  else location.assign(data.redirect_url);
  return '';
}

function listenToSubmit(form) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const buttons = [...form.elements].filter(({ type }) => type === 'submit');
    const outcome = form.querySelector('[role=status]');
    for (const button of buttons) button.disabled = true;
    outcome.textContent = '';
    try {
      outcome.textContent = await submit(form);
    } catch {
      outcome.textContent = unreachable;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  });
}

/** Keeps the amounts of a checkout current. An answer that is older than the last request is dropped. */
function listenToAmounts(form) {
  const summary = document.getElementById('summary');
  const buy = form.querySelector('button.main');
  let last = 0;
  async function update() {
    last += 1;
    const own = last;
    try {
      const { data } = await post(form.dataset.preview, form);
      if (own !== last || !data) return;
      summary.innerHTML = data.summary;
      buy.textContent = data.button;
      showProblems(form, data.problems, ['coupon', 'tax_id']);
    } catch {
      form.querySelector('[role=status]').textContent = unreachable;
    }
  }
  for (const name of ['coupon', 'country', 'tax_id']) form.elements.namedItem(name).addEventListener('change', update);
  // Enter in the field of the coupon shows the amounts: nobody wants to pay before having seen them.
  form.elements.namedItem('coupon').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void update();
  });
}

for (const form of document.querySelectorAll('form')) {
  listenToSubmit(form);
  if (form.dataset.preview) listenToAmounts(form);
}
