/** A form in the format of Stripe's API: brackets form a tree, so `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`. */
export interface Form {
  readonly [name: string]: string | Form;
}

type Tree = { [name: string]: string | Tree };

/** Parses `application/x-www-form-urlencoded` with brackets. */
export function parseForm(text: string): Form {
  const form: Tree = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.replaceAll(']', '').split('[');
    const last = path.pop() ?? '';
    let tree = form;
    for (const part of path) {
      const next = tree[part] ?? {};
      if (typeof next === 'string') throw new Error(`${key} is both a value and an object.`);
      tree[part] = next;
      tree = next;
    }
    // `lookup_keys[]=x` appends.
    tree[last === '' ? String(Object.keys(tree).length) : last] = value;
  }
  return form;
}

/** Returns a branch of a form; empty if there is none. */
export function branch(form: Form, name: string): Form {
  const value = form[name];
  return typeof value === 'object' ? value : {};
}

/** Returns a value of a form; empty if there is none. */
export function leaf(form: Form, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

/** Returns a number of a form; 0 if there is none. */
export function numberIn(form: Form, name: string): number {
  return Number(leaf(form, name) || 0);
}
