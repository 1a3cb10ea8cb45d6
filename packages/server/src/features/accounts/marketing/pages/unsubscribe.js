import { finish, onSubmit, post, token } from '/pages/form.js';

onSubmit(async () => {
  await post('/api/v1/marketing/unsubscribe', { token });
  finish('You get no more news from us.');
});
