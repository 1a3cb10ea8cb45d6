import { finish, onSubmit, post, token } from '/pages/form.js';

onSubmit(async () => {
  await post('/api/v1/marketing/confirm', { token });
  finish('Thank you: you get our news from now on.');
});
