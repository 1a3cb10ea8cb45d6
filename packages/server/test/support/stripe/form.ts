/** A form as the API of Stripe reads it: `a[b][0]=c` is a tree. */
export interface Form {
  readonly [name: string]: string | Form;
}

type Tree = { [name: string]: string | Tree };

/** Reads `application/x-www-form-urlencoded` with brackets. */
export function parseForm(text: string): Form {
  const form: Tree = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.replaceAll(']', '').split('[');
    const last = path.pop() ?? '';
    let tree = form;
    for (const part of path) {
      const next = tree[part] ?? {};
      if (typeof next === 'string') throw new Error(`${key} is given twice in different ways.`);
      tree[part] = next;
      tree = next;
    }
    // `lookup_keys[]=x` appends.
    tree[last === '' ? String(Object.keys(tree).length) : last] = value;
  }
  return form;
}

/** The paths of a form's values; positions in lists are written `*`. */
function pathsOf(form: Form, prefix = ''): string[] {
  return Object.entries(form).flatMap(([name, value]) => {
    const path = `${prefix}${/^\d+$/.test(name) ? '*' : name}`;
    return typeof value === 'string' ? [path] : pathsOf(value, `${path}.`);
  });
}

/** The first value that a route does not take; `metadata` takes any names. */
export function unknownParameter(form: Form, known: readonly string[]): string | undefined {
  return pathsOf(form).find((path) => {
    const name = path.replace(/(^|\.)metadata\.[^.]+$/, '$1metadata');
    return !known.includes(name) && !/^expand(\.\*)?$/.test(name);
  });
}

/** A branch of a form; empty where there is none. */
export function branch(form: Form, name: string): Form {
  const value = form[name];
  return typeof value === 'object' ? value : {};
}

/** A value of a form; empty where there is none. */
export function leaf(form: Form, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}
