import { type ManagementOperation, managementOperations, repeatableOperations } from './management-operations.ts';
import type { OpenApiDocument, Operation, Parameter, Schema } from './openapi-document.ts';

const prefix = '/api/v1/tenant/';

/** A method of a resource, in the words of no language. */
export interface ManagementMethod {
  /** In camelCase. */
  readonly name: string;
  readonly operationId: string;
  readonly about: string;
  readonly verb: string;
  /** `licenses/{}/renew`, and the arguments that fill its gaps. */
  readonly template: string;
  readonly pathArguments: readonly string[];
  /** The filters of the caller. */
  readonly query: readonly Parameter[];
  /** The JSON body. */
  readonly fields: Schema | undefined;
  readonly isBodyRequired: boolean;
  /** The result, or an item of a list; undefined for a file. */
  readonly data: Schema | undefined;
  readonly kind: 'list' | 'file' | 'import' | 'call';
  /** Whether an idempotency key lets a repetition do nothing more. */
  readonly hasKey: boolean;
  /** Whether a repetition does more than the first time. */
  readonly actsAgain: boolean;
  /** What the method sends beside the fields and the filters of the caller. */
  readonly fixedBody: Readonly<Record<string, boolean>> | undefined;
  readonly fixedQuery: Readonly<Record<string, boolean>> | undefined;
}

/** Returns the methods of each resource. Throws if the document lacks an operation. */
export function managementMethods(api: OpenApiDocument): Readonly<Record<string, readonly ManagementMethod[]>> {
  return Object.fromEntries(
    Object.entries(managementOperations).map(([resource, methods]) => [
      resource,
      Object.entries(methods).map(([name, given]) => methodOf(api, name, given)),
    ]),
  );
}

function methodOf(api: OpenApiDocument, name: string, given: string | ManagementOperation): ManagementMethod {
  const wanted: ManagementOperation = typeof given === 'string' ? { operation: given } : given;
  const { path, verb, operation } = operationOf(api, wanted.operation);
  const { requestBody, parameters = [] } = operation;
  const fields = requestBody?.content['application/json']?.schema;
  const hasKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
  const answer = answerOf(operation, wanted.status ?? '2');
  return {
    name,
    operationId: wanted.operation,
    about: `${operation.summary ?? name}.`,
    verb,
    template: path.slice(prefix.length).replaceAll(/\{\w+\}/g, '{}'),
    pathArguments: [...path.matchAll(/\{(\w+)\}/g)].map(([, argument = '']) => argument),
    query: parameters.filter(
      (one) => one.in === 'query' && one.name !== 'cursor' && !(one.name in (wanted.query ?? {})),
    ),
    fields,
    isBodyRequired: requestBody?.required === true,
    data: answer.data,
    kind: requestBody !== undefined && fields === undefined ? 'import' : answer.kind,
    hasKey,
    actsAgain: verb === 'POST' && !hasKey && !repeatableOperations.has(wanted.operation),
    fixedBody: wanted.body,
    fixedQuery: wanted.query,
  };
}

/** Returns an operation with its place. Throws if the document lacks it. */
export function operationOf({ paths }: OpenApiDocument, id: string) {
  for (const [path, methods] of Object.entries(paths))
    for (const [verb, operation] of Object.entries(methods))
      if (operation.operationId === id) return { path, verb: verb.toUpperCase(), operation };
  throw new Error(`openapi.json has no operation ${id}.`);
}

function answerOf({ responses = {}, parameters = [] }: Operation, status: string) {
  const [, response] = Object.entries(responses).find(([one]) => one.startsWith(status)) ?? [];
  const data = response?.content?.['application/json']?.schema?.properties?.['data'];
  if (data === undefined) return { kind: 'file', data } as const;
  const isList = parameters.some((parameter) => parameter.name === 'cursor');
  return isList ? ({ kind: 'list', data: data.items ?? {} } as const) : ({ kind: 'call', data } as const);
}
