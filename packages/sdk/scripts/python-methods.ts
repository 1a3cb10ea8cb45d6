import type { ManagementMethod } from './management-methods.ts';
import type { PythonTypes } from './print-python-types.ts';

/** A method of a resource, in the words of Python. */
export interface PythonMethod
  extends Pick<ManagementMethod, 'about' | 'verb' | 'template' | 'pathArguments' | 'kind' | 'hasKey'> {
  readonly name: string;
  readonly query: readonly { readonly name: string; readonly type: string }[];
  /** The parameter of a JSON body. */
  readonly body: string | undefined;
  /** The type of the result, or of its items. */
  readonly result: string;
  /** How the request is sent, as arguments of `_send`. */
  readonly options: readonly string[];
}

/** Returns the name in snake_case. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^import$/, 'import_');
}

/** Returns a method in the words of Python, and prints the types that it needs. */
export function pythonMethod(method: ManagementMethod, types: PythonTypes): PythonMethod {
  const { fields, data } = method;
  const type = fields && qualified(types.annotation(fields, 'request'));
  const result = data === undefined ? '' : qualified(types.annotation(data, 'response'));
  return {
    ...method,
    name: snake(method.name),
    query: method.query.map((one) => ({ name: one.name, type: qualified(types.annotation(one.schema, 'request')) })),
    body: type && (method.isBodyRequired ? `fields: ${type}` : `fields: Optional[${type}] = None`),
    result,
    options: optionsOf(method, result.startsWith('Optional[')),
  };
}

function optionsOf({ fixedBody, fixedQuery, hasKey, actsAgain }: ManagementMethod, isNullable: boolean) {
  const options: readonly (readonly [boolean, string])[] = [
    [fixedBody !== undefined, `fixed=${python(fixedBody)}`],
    [fixedQuery !== undefined, `background=${python(fixedQuery?.['background'])}`],
    [actsAgain, 'acts_again=True'],
    [isNullable, 'is_nullable=True'],
    [hasKey && fixedQuery === undefined, 'once=True'],
    [hasKey, 'idempotency_key=idempotency_key'],
  ];
  return options.filter(([isSent]) => isSent).map(([, option]) => option);
}

/** Names the module of the generated types in an annotation. */
function qualified(type: string): string {
  return type.replaceAll(
    /(?<!")\b(?!(?:Optional|Union|List|Dict|Literal|Any|None|Timestamp)\b)[A-Z]\w+\b(?!")/g,
    'api.$&',
  );
}

/** Flat objects of booleans as Python writes them. */
function python(value: unknown): string {
  const text = JSON.stringify(value ?? null)
    .replaceAll('true', 'True')
    .replaceAll('false', 'False');
  return text.replaceAll(':', ': ');
}
