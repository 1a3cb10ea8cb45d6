import { managementMethods } from './management-methods.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { docstring, PythonTypes } from './print-python-types.ts';
import { type PythonMethod, pythonMethod, snake } from './python-methods.ts';

const folder = 'sdks/python/src/licensing_sdk';
const header = '# Generated from openapi.json by packages/sdk/scripts/generate-python-management.ts. Do not edit.';

/** The components that only `LicensingClient` returns. */
const integrationResponses = [
  'LicensedDevices',
  'Trial',
  'PendingTrial',
  'LatestRelease',
  'ReleaseDownload',
  'UsageReport',
];

interface PythonResource {
  readonly className: string;
  readonly attribute: string;
  readonly methods: readonly PythonMethod[];
}

/** Returns the types and the resources of the Python ManagementClient by their paths in the repository. */
export function generatePythonManagement(api: OpenApiDocument): Readonly<Record<string, string>> {
  const types = new PythonTypes(api.components.schemas);
  const resources = Object.entries(managementMethods(api)).map(([resource, methods]) => ({
    className: `${resource[0]?.toUpperCase()}${resource.slice(1)}`,
    attribute: snake(resource),
    methods: methods.map((method) => pythonMethod(method, types)),
  }));
  for (const name of integrationResponses) types.annotation({ $ref: name }, 'response');
  types.annotation({ $ref: 'UsageEvent' }, 'request');
  return {
    [`${folder}/api_types.py`]: typesModule(types),
    [`${folder}/_async_resources.py`]: resourcesModule(resources),
  };
}

function typesModule(types: PythonTypes): string {
  return `${header}
${docstring('The shapes of the API: what the clients send and return.', '')}
from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .codes import Code

Timestamp = Union[str, datetime]
${docstring('A moment: an ISO 8601 text with a zone, or a `datetime` with a timezone.', '')}

${types.print()}`;
}

function resourcesModule(resources: readonly PythonResource[]): string {
  const classes = resources.map(({ className, attribute, methods }) => {
    const about = docstring(`The methods of \`${attribute}\`.`, '    ');
    return `class Async${className}(AsyncResource):\n${about}\n${methods.map(methodText).join('\n')}`;
  });
  const attributes = resources.map((one) => `        self.${one.attribute} = Async${one.className}(self)\n`);
  return `${header}
${docstring('The resources of the management client.', '')}
from __future__ import annotations

from typing import List, Literal, Optional, cast

from . import api_types as api
from ._async_caller import AsyncCaller
from ._async_resource_base import AsyncDownload, AsyncListing, AsyncResource
from ._management import AsyncImportContent
from ._options import Options
from .types import Timestamp


${classes.join('\n\n')}

class AsyncResources(AsyncCaller):
    """The resources of a tenant."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
${attributes.join('')}`;
}

function methodText(method: PythonMethod): string {
  const { kind, name, result } = method;
  const returned = { list: `AsyncListing[${result}]`, file: 'AsyncDownload', import: result, call: result }[kind];
  const isAwaited = kind !== 'list';
  const start = `    ${isAwaited ? 'async ' : ''}def ${name}(`;
  const head = wrapped(start, parametersOf(method), `) -> ${returned}:`, '    ');
  const target = { list: 'AsyncListing(', file: 'self._download(', import: 'self._import(', call: 'self._send(' }[kind];
  const call = wrapped(`${isAwaited ? 'await ' : ''}${target}`, argumentsOf(method), ')', '        ');
  const type = result.includes('[') || result === 'None' ? `"${result}"` : result;
  const value = kind === 'list' || kind === 'file' ? call : `cast(${type}, ${call})`;
  return `${head}\n${docstring(method.about, '        ')}        return ${value}\n`;
}

function parametersOf({ kind, pathArguments, query, body, hasKey }: PythonMethod): string[] {
  const isImport = kind === 'import';
  const named = [
    ...(isImport ? ['content_type: str = "application/x-ndjson"'] : []),
    ...query.map((one) => `${argumentOf(one.name)}: Optional[${one.type}] = None`),
    ...(hasKey ? ['idempotency_key: Optional[str] = None'] : []),
  ];
  return [
    'self',
    ...pathArguments.map((argument) => `${argument}: str`),
    ...(isImport ? ['content: AsyncImportContent'] : []),
    ...(body === undefined ? [] : [body]),
    ...(named.length > 0 ? ['*', ...named] : []),
  ];
}

function argumentsOf({ kind, verb, template, pathArguments, query, body, options }: PythonMethod): string[] {
  const before = { list: ['self'], file: [], import: [], call: [`"${verb}"`] }[kind];
  const values = query.map((one) => `"${one.name}": ${argumentOf(one.name)}`);
  return [
    ...before,
    `"${template}"`,
    pathArguments.length === 1 ? `(${pathArguments[0]},)` : `(${pathArguments.join(', ')})`,
    ...(kind === 'import' ? ['content', 'content_type'] : []),
    ...(query.length === 0 ? [] : [wrapped('query={', values, '}', '            ')]),
    ...(body === undefined ? [] : ['fields=fields']),
    ...options,
  ];
}

/** A keyword of Python ends in an underscore. */
function argumentOf(name: string): string {
  return name === 'from' ? 'from_' : name;
}

/** Returns a call or a signature on one line, or with an argument per line. */
function wrapped(before: string, parts: readonly string[], after: string, indent: string): string {
  const line = `${before}${parts.join(', ')}${after}`;
  if (line.length + indent.length < 80) return line;
  return `${before}\n${parts.map((part) => `${indent}    ${part},\n`).join('')}${indent}${after}`;
}
