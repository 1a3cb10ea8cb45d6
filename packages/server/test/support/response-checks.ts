import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { allResponse, oneResponse } from '../../src/features/operations/feature-flags/ofrep-schemas.ts';
import { declaredFailures } from '../../src/http/declared-failures.ts';
import { ErrorEnvelope } from '../../src/http/envelope.ts';
import { checkAgainst } from './response-schemas.ts';

/** A response that differs from what its route declares. */
export interface Violation {
  readonly requestId: string;
  /** The route, the status, and each difference with its JSON pointer. */
  readonly text: string;
}

type Report = (violation: Violation) => void;

/** The file in `DATA_DIR` with the violations of other processes. */
export const violationsFile = 'response-violations.txt';

/** The option of Node with which a `serve` process checks its responses. */
export const checksResponses = `--import=${new URL('./check-process.ts', import.meta.url).href}`;

/** Lists the media types of a declared response with bytes; undefined for a JSON schema. */
function mediaTypesOf(declared: object): string[] | undefined {
  if (!('content' in declared) || typeof declared.content !== 'object') return undefined;
  return Object.keys(declared.content ?? {});
}

const isJson = (type: string) => /^application\/(?:[^\s;]+\+)?json(?:;|$)/.test(type);

/** The failures of paths below `/ofrep` that no route has: of one flag, or of all. */
const OfrepFailure = Type.Union([oneResponse[404], allResponse[400]]);

const failureOf = ({ raw }: FastifyRequest) =>
  /^\/+ofrep(?=[/?]|$)/.test(raw.url ?? '') ? OfrepFailure : ErrorEnvelope;

/** The status of a path that is another route with other methods; no operation has it. */
const methodNotAllowed = 405;

/** Returns true for a failure that the OpenAPI document lists for the route of a request. */
function listsFailure({ routeOptions: { method, url = '', schema, config } }: FastifyRequest, status: number): boolean {
  if (schema?.hide || status === methodNotAllowed) return true;
  return declaredFailures({ method, url, schema, config }).has(status);
}

/** Returns what a route declares for a status, exactly or by `4xx` and `5xx`: a JSON schema, or media types. */
function declaredFor(request: FastifyRequest, status: number): object | 'undeclared' | 'unchecked' {
  const response = request.routeOptions.schema?.response as Readonly<Record<string, object>> | undefined;
  // Pages, files and unknown paths declare nothing; their failures have the common format.
  if (request.is404 || response === undefined) return status >= 400 ? failureOf(request) : 'unchecked';
  if (response[status] !== undefined) return response[status];
  return (listsFailure(request, status) && response[`${Math.floor(status / 100)}xx`]) || 'undeclared';
}

function titleOf(request: FastifyRequest, status: number): string {
  return `${request.method} ${request.routeOptions.url ?? 'an unknown path'} ${status}`;
}

/** Lists how a JSON value differs from the declaration. */
function differences(request: FastifyRequest, status: number, value: unknown): readonly string[] {
  const declared = declaredFor(request, status);
  if (declared === 'unchecked') return [];
  if (declared === 'undeclared') return ['is not declared'];
  if (mediaTypesOf(declared) !== undefined) return ['is JSON, but only other media types are declared'];
  return checkAgainst(declared)(value);
}

/** Lists how a response without JSON, or a stream, differs from the declaration. The pages of hidden routes are free. */
function differencesOfBytes(request: FastifyRequest, status: number, type: string, isEmpty: boolean) {
  // The page of the dashboard, which says that there is no such page.
  if (request.is404 && type.startsWith('text/html')) return [];
  const declared = declaredFor(request, status);
  if (declared === 'unchecked' || request.routeOptions.schema?.hide) return [];
  if (declared === 'undeclared') return ['is not declared'];
  if (isEmpty) return [];
  const types = mediaTypesOf(declared) ?? ['application/json'];
  const [mediaType = ''] = type.split(';');
  return types.includes(mediaType) ? [] : [`has the undeclared content type ${type || '(none)'}`];
}

/**
 * Compares every response of a server with the schema of its route and status, before and after serialisation: the
 * serialiser converts values and omits undeclared properties.
 */
export function checkServer(app: FastifyInstance, report: Report): void {
  const reportAll = (request: FastifyRequest, reply: FastifyReply, found: readonly string[]) => {
    if (found.length === 0) return;
    const text = `${titleOf(request, reply.statusCode)}: ${found.slice(0, 10).join('; ')}`;
    report({ requestId: request.id, text });
  };
  app.addHook('preSerialization', (request, reply, payload, done) => {
    if (payload !== null && payload !== undefined) {
      const asJson: unknown = JSON.parse(JSON.stringify(payload));
      reportAll(request, reply, differences(request, reply.statusCode, asJson));
    }
    done(null, payload);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const type = String(reply.getHeader('content-type') ?? '');
    const isEmpty = payload === null || payload === undefined || payload === '';
    const found =
      typeof payload === 'string' && !isEmpty && isJson(type)
        ? differences(request, reply.statusCode, JSON.parse(payload))
        : differencesOfBytes(request, reply.statusCode, type, isEmpty);
    reportAll(request, reply, found);
    done(null, payload);
  });
}

/**
 * Checks the responses of every server that this process creates from now on. `reportOf` returns the function that
 * receives the violations of one server.
 */
export function checkEveryServer(reportOf: (app: FastifyInstance) => Report): void {
  // Fastify publishes each new instance, so that the service needs no code for its tests.
  diagnostics.subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { readonly fastify: FastifyInstance };
    checkServer(fastify, reportOf(fastify));
  });
}
