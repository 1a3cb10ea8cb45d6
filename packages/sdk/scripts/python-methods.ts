import { type ManagementOperation, repeatableOperations } from './management-operations.ts';
import type { OpenApiDocument, Operation } from './openapi-document.ts';
import type { PythonTypes } from './print-python-types.ts';

const prefix = '/api/v1/tenant/';

/** A method of a resource, in the words of Python. */
export interface PythonMethod {
  readonly name: string;
  readonly about: string;
  readonly verb: string;
  /** `licenses/{}/renew`, and the arguments that fill its gaps. */
  readonly template: string;
  readonly pathArguments: readonly string[];
  readonly query: readonly { readonly name: string; readonly type: string }[];
  /** The parameter of a JSON body. */
  readonly body: string | undefined;
  /** The type of the result, or of its items. */
  readonly result: string;
  readonly kind: 'list' | 'file' | 'import' | 'call';
  readonly hasKey: boolean;
  /** How the request is sent, as arguments of `_send`. */
  readonly options: readonly string[];
}

/** Returns the name in snake_case. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^import$/, 'import_');
}

/** Reads the method of an operation from the document. Throws if the document lacks the operation. */
export function methodOf(
  api: OpenApiDocument,
  types: PythonTypes,
  name: string,
  given: string | ManagementOperation,
): PythonMethod {
  const wanted: ManagementOperation = typeof given === 'string' ? { operation: given } : given;
  const { path, verb, operation } = operationOf(api, wanted.operation);
  const { requestBody, parameters = [] } = operation;
  const fields = requestBody?.content['application/json']?.schema;
  const type = fields && qualified(types.annotation(fields, 'request'));
  const answer = answerOf(operation, types, wanted.status ?? '2');
  const query = parameters.filter(
    (one) => one.in === 'query' && one.name !== 'cursor' && !(one.name in (wanted.query ?? {})),
  );
  return {
    name,
    verb,
    about: `${operation.summary ?? name}.`,
    template: path.slice(prefix.length).replaceAll(/\{\w+\}/g, '{}'),
    pathArguments: [...path.matchAll(/\{(\w+)\}/g)].map(([, argument = '']) => argument),
    query: query.map((one) => ({ name: one.name, type: qualified(types.annotation(one.schema, 'request')) })),
    body: type && (requestBody?.required ? `fields: ${type}` : `fields: Optional[${type}] = None`),
    result: answer.result,
    kind: requestBody !== undefined && fields === undefined ? 'import' : answer.kind,
    hasKey: hasKey(operation),
    options: optionsOf(verb, operation, wanted, answer.isNullable),
  };
}

function hasKey({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => parameter.name === 'Idempotency-Key');
}

function operationOf({ paths }: OpenApiDocument, id: string) {
  for (const [path, methods] of Object.entries(paths))
    for (const [verb, operation] of Object.entries(methods))
      if (operation.operationId === id) return { path, verb: verb.toUpperCase(), operation };
  throw new Error(`openapi.json has no operation ${id}.`);
}

function answerOf({ responses = {}, parameters = [] }: Operation, types: PythonTypes, status: string) {
  const [, response] = Object.entries(responses).find(([one]) => one.startsWith(status)) ?? [];
  const data = response?.content?.['application/json']?.schema?.properties?.['data'];
  if (data === undefined) return { kind: 'file', result: '', isNullable: false } as const;
  const isList = parameters.some((parameter) => parameter.name === 'cursor');
  const result = qualified(types.annotation(isList ? (data.items ?? {}) : data, 'response'));
  return { kind: isList ? 'list' : 'call', result, isNullable: result.startsWith('Optional[') } as const;
}

function optionsOf(verb: string, operation: Operation, { query, body }: ManagementOperation, isNullable: boolean) {
  const actsAgain = verb === 'POST' && !hasKey(operation) && !repeatableOperations.has(operation.operationId ?? '');
  const options: readonly (readonly [boolean, string])[] = [
    [body !== undefined, `fixed=${python(body)}`],
    [query !== undefined, `background=${python(query?.['background'])}`],
    [actsAgain, 'acts_again=True'],
    [isNullable, 'is_nullable=True'],
    [hasKey(operation) && query === undefined, 'once=True'],
    [hasKey(operation), 'idempotency_key=idempotency_key'],
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
