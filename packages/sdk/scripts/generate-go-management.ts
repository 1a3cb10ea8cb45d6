import { type ManagementMethod, managementMethods } from './management-methods.ts';
import type { OpenApiDocument, Parameter } from './openapi-document.ts';
import { exported, GoTypes, goComment } from './print-go-types.ts';

const header =
  '// Code generated from openapi.json by packages/sdk/scripts/generate-go-management.ts. DO NOT EDIT.\n\n';

/** Returns the types and the resources of the Go ManagementClient by their paths in the repository. */
export function generateGoManagement(api: OpenApiDocument): Readonly<Record<string, string>> {
  const types = new GoTypes(api.components.schemas);
  const resources = Object.entries(managementMethods(api)).map(([resource, methods]) => ({
    name: exported(resource),
    methods: methods.map((method) => methodText(exported(resource), method, types)),
  }));
  return {
    'sdks/go/api/types.go': `${header}package api\n\nimport "time"\n\n${types.print()}`,
    'sdks/go/management_resources.go': resourcesFile(resources),
  };
}

interface GoResource {
  readonly name: string;
  readonly methods: readonly string[];
}

function resourcesFile(resources: readonly GoResource[]): string {
  const imports = 'import (\n\t"context"\n\t"io"\n\n\t"licensing.example.com/sdk/api"\n)\n\n';
  const width = Math.max(...resources.map(({ name }) => name.length));
  const types = resources.map(({ name, methods }) => {
    const about = `// ${name}Resource has the methods of ManagementClient.${name}.\n`;
    return `${about}type ${name}Resource struct{ connection *connection }\n\n${methods.join('\n')}`;
  });
  return `${header}package licensing

${imports}// ManagementClient manages the licenses of a vendor from the vendor's own backend. Each resource is a field:
// management.Licenses.Create(ctx, api.CreateLicense{…}). Package api has the shapes. Creations, renewals and new keys carry
// an idempotency key, so that a repetition does nothing twice. Goroutines may share one client.
type ManagementClient struct {
${resources.map(({ name }) => `\t${name.padEnd(width)} ${name}Resource\n`).join('')}}

func managementOf(connection *connection) *ManagementClient {
	return &ManagementClient{
${resources.map(({ name }) => `\t\t${`${name}:`.padEnd(width + 1)} ${name}Resource{connection},\n`).join('')}	}
}

${types.join('\n')}`;
}

function methodText(resource: string, method: ManagementMethod, types: GoTypes): string {
  const { kind, data, operationId } = method;
  const name = exported(method.name);
  const result = data && types.result(data);
  const item = result?.name.replace('[]', '');
  const isArray = kind === 'call' && result?.name.startsWith('[]');
  const returned = {
    list: `*Listing[api.${item}]`,
    file: '(io.ReadCloser, error)',
    import: `(*api.${item}, error)`,
    call: isArray ? `([]*api.${item}, error)` : `(*api.${item}, error)`,
  }[kind];
  const call =
    kind === 'call' && isArray ? 'manageAll' : { list: 'list', file: '', import: 'manage', call: 'manage' }[kind];
  const typed =
    kind === 'file'
      ? 'r.connection.download(ctx, '
      : `${call}[api.${item}](${kind === 'list' ? '' : 'ctx, '}r.connection, `;
  const query = method.query.length > 0 ? `api.${queryType(method, types)}` : undefined;
  const about = goComment(`${name} performs ${operationId}: ${method.about}`);
  const parameters = parametersOf(method, query, types);
  const request = requestOf(method, query !== undefined, result?.isNullable === true);
  const head = wrapped(`func (r ${resource}Resource) ${name}(`, parameters, `) ${returned} {`);
  return `${about}${head}\n${wrapped(`\treturn ${typed}tenantRequest{`, request, '})', '\t')}\n}\n`;
}

function queryType({ operationId, query }: ManagementMethod, types: GoTypes): string {
  const fields = query.map(({ name, description, schema }: Parameter) => {
    return [name, { ...schema, ...(description !== undefined && { description }) }] as const;
  });
  const description = `the filters of ${operationId}.`;
  return types.add(`${exported(operationId)}Query`, { description, properties: Object.fromEntries(fields) });
}

function parametersOf(
  { kind, pathArguments, fields, hasKey }: ManagementMethod,
  query: string | undefined,
  types: GoTypes,
) {
  const texts = pathArguments.map(argumentOf).join(', ');
  return [
    ...(kind === 'list' ? [] : ['ctx context.Context']),
    ...(texts === '' ? [] : [`${texts} string`]),
    ...(kind === 'import' ? ['content ImportContent'] : []),
    ...(fields === undefined ? [] : [`fields api.${types.body(fields)}`]),
    ...(query === undefined ? [] : [`query ${kind === 'call' ? '...' : ''}${query}`]),
    ...(hasKey ? ['options ...CallOption'] : []),
  ];
}

function requestOf(method: ManagementMethod, hasQuery: boolean, isNullable: boolean): string[] {
  const path = [`"${method.template}"`, ...method.pathArguments.map(argumentOf)].join(', ');
  const parts: readonly (readonly [boolean, string])[] = [
    [true, `method: "${method.verb}"`],
    [true, `path: tenantPath(${path})`],
    [hasQuery, method.kind === 'call' ? 'query: first(query)' : 'query: query'],
    [method.kind === 'import', 'content: &content'],
    [method.fields !== undefined, 'fields: fields'],
    [method.fixedBody !== undefined, `fixed: ${goMap(method.fixedBody)}`],
    [method.fixedQuery?.['background'] === true, 'isBackground: true'],
    [method.actsAgain, 'actsAgain: true'],
    [isNullable, 'isNullable: true'],
    [method.hasKey, 'isOnce: true, options: options'],
  ];
  return parts.filter(([isGiven]) => isGiven).map(([, part]) => part);
}

function goMap(value: Readonly<Record<string, boolean>> | undefined): string {
  return `map[string]any${JSON.stringify(value ?? {}).replaceAll(':', ': ')}`;
}

function argumentOf(name: string): string {
  return name.replaceAll(/_id\b/g, 'ID').replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Returns a call or a signature on one line, or its parts on a line of their own. */
function wrapped(before: string, parts: readonly string[], after: string, indent = ''): string {
  const line = `${before}${parts.join(', ')}${after}`;
  return line.length < 116 ? line : `${before}\n${indent}\t${parts.join(', ')},\n${indent}${after}`;
}
