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

/** Lists the paths of a form's values, with `*` for positions in lists. */
function pathsOf(form: Form, prefix = ''): string[] {
  return Object.entries(form).flatMap(([name, value]) => {
    const path = `${prefix}${/^\d+$/.test(name) ? '*' : name}`;
    return typeof value === 'string' ? [path] : pathsOf(value, `${path}.`);
  });
}

/** Returns the path of the first value that a route does not accept. `metadata` accepts any names. */
export function unknownParameter(form: Form, known: readonly string[]): string | undefined {
  return pathsOf(form).find((path) => {
    const name = path.replace(/(^|\.)metadata\.[^.]+$/, '$1metadata');
    return !known.includes(name) && !/^expand(\.\*)?$/.test(name);
  });
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
