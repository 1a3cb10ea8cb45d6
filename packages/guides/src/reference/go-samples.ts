import type { Operation } from './document.ts';
import { type HttpRequest, lookupOf } from './http-samples.ts';
import { camel } from './literals.ts';
import type { SampleInput } from './sdk-samples.ts';
import { type PathPart, type Variable, writeMarks } from './variables.ts';

/** `activation_id` as Go writes it: `activationID`. */
function goName(name: string): string {
  return camel(name).replace(/Id$/, 'ID');
}

const pascal = (name: string) => goName(`_${name}`).replace(/^Ttl/, 'TTL');
const checked = 'if err != nil {\n\t\tlog.Fatal(err)\n\t}';

/** The methods of the client, and the structure that contains the fields of the body; null: one value without a name. */
const methods: Readonly<Record<string, readonly [method: string, structure: string | null]>> = {
  validateLicense: ['Validate', 'Question'],
  activateLicense: ['Activate', 'Device'],
  heartbeatActivation: ['Heartbeat', null],
  deactivateActivation: ['Deactivate', null],
  listLicenseActivations: ['ListActivations', 'Page'],
  checkEntitlements: ['CheckEntitlements', null],
  reportUsage: ['ReportUsage', null],
  issueCertificate: ['IssueCertificate', 'CertificateTerms'],
  startTrial: ['StartTrial', 'TrialRequest'],
  confirmTrial: ['ConfirmTrial', null],
  findLatestRelease: ['LatestRelease', 'ReleaseQuestion'],
  downloadRelease: ['DownloadRelease', null],
  getJwks: ['JWKS', null],
};

/** A value of a body as a literal of Go. */
function literal(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  const items = value.map((item) => (typeof item === 'object' ? structure('', item) : JSON.stringify(item)));
  return `${typeof value[0] === 'object' ? '[]licensing.UsageEvent' : '[]string'}{${items.join(', ')}}`;
}

function structure(name: string, fields: object): string {
  const written = Object.entries(fields).map(([field, value]) => `${pascal(field)}: ${literal(value)}`);
  return `${name}{${written.join(', ')}}`;
}

/** Returns the program that calls an operation of an application through the Go SDK; undefined for other operations. */
export function goSdkSample({ id }: Operation, { baseUrl, body, path, variables }: SampleInput): string | undefined {
  const [method, structureName] = methods[id] ?? [];
  if (method === undefined) return undefined;
  const values = typeof body === 'object' && body !== null ? Object.values(body) : [];
  const given =
    typeof structureName === 'string' ? [structure(`licensing.${structureName}`, body ?? {})] : values.map(literal);
  const positional = path.filter((part) => typeof part !== 'string').map(({ name }) => goName(name));
  return [
    'package main',
    '',
    'import (\n\t"context"\n\t"fmt"\n\t"log"\n\t"os"\n\n\t"licensing.example.com/sdk"\n)',
    '',
    'func main() {',
    '\tclient, err := licensing.NewClient(licensing.ClientOptions{',
    `\t\tBaseURL: "${baseUrl}",`,
    '\t\tAPIKey:  os.Getenv("LICENSING_API_KEY"),',
    '\t})',
    `\t${checked}`,
    ...variables.flatMap(clientLookup),
    `\tresult, err := client.${method}(context.Background()${[...positional, ...given].map((each) => `, ${each}`).join('')})`,
    `\t${checked}`,
    '\tfmt.Printf("%+v\\n", result)',
    '}',
    '',
  ].join('\n');
}

function clientLookup({ name, source }: Variable): string[] {
  if ('environment' in source) return [`\t${goName(name)} := os.Getenv("${source.environment}")`];
  return [
    '\tdevices, err := client.ListActivations(context.Background(), licenseKey, licensing.Page{})',
    `\t${checked}`,
    `\t${goName(name)} := devices.Activations[0].ID`,
  ];
}

/** Returns the request as a program in Go. */
export function goHttpSample(request: HttpRequest): string {
  const { method, baseUrl, credential, mediaType, body, file, variables } = request;
  const json = body === undefined ? '' : JSON.stringify(body, null, 2);
  const text = writeMarks(goText(json), (name) => `"\`+${goName(name)}+\`"`);
  const content = file === undefined ? text : 'string(file)';
  const lookups = variables.flatMap(httpLookup);
  const looked = lookups.join('');
  const imports = [
    ...(looked.includes('json.') ? ['encoding/json'] : []),
    ...['fmt', 'io', 'log', 'net/http'],
    ...(looked.includes('url.') ? ['net/url'] : []),
    ...(credential !== undefined || file !== undefined || looked.includes('os.') ? ['os'] : []),
    'strings',
  ];
  const headers = [
    ...(credential ? [`\trequest.Header.Set("${credential[0]}", ${goCredential(credential)})`] : []),
    ...(mediaType ? [`\trequest.Header.Set("Content-Type", "${mediaType}")`] : []),
  ];
  return [
    'package main',
    '',
    `import (\n${imports.map((name) => `\t"${name}"`).join('\n')}\n)`,
    '',
    '// send returns the body of an answer.',
    'func send(method, path, body string) []byte {',
    `\trequest, err := http.NewRequest(method, "${baseUrl}"+path, strings.NewReader(body))`,
    `\t${checked}`,
    ...headers,
    '\tresponse, err := http.DefaultClient.Do(request)',
    `\t${checked}`,
    '\tdefer response.Body.Close()',
    '\tanswer, err := io.ReadAll(response.Body)',
    `\t${checked}`,
    '\treturn answer',
    '}',
    '',
    'func main() {',
    ...lookups,
    ...(file === undefined ? [] : [`\tfile, err := os.ReadFile("${file}")`, `\t${checked}`]),
    `\tfmt.Println(string(send("${method}", ${goPath(request.path)}, ${content})))`,
    '}',
    '',
  ].join('\n');
}

/** A raw text of Go, which cannot contain its own mark. */
function goText(text: string): string {
  return text === '' ? '""' : `\`${text.replaceAll('`', '`+"`"+`')}\``;
}

function goCredential([, prefix, variable]: readonly [string, string, string]): string {
  return `${prefix === '' ? '' : `"${prefix}"+`}os.Getenv("${variable}")`;
}

/** A path as an expression of Go: `"/api/v1/tenant/licenses/"+licenseID`. */
function goPath(path: readonly PathPart[], query = ''): string {
  const parts = path.map((part) => (typeof part === 'string' ? `"${part}"` : goName(part.name)));
  return [...parts, ...(query === '' ? [] : [`"${query}"`])].join('+').replace(/"\+"/g, '');
}

function httpLookup(variable: Variable): string[] {
  const { name, source } = variable;
  const found = lookupOf(variable);
  if ('environment' in source || found === undefined)
    return [`\t${goName(name)} := os.Getenv("${'environment' in source ? source.environment : ''}")`];
  const list = goName(`${name.replace(/_(?:id|type)$/, '')}_list`);
  const value = `${list}.Data[0].${pascal(source.field)}`;
  return [
    `\tvar ${list} struct{ Data []struct{ ${pascal(source.field)} string } }`,
    `\tif err := json.Unmarshal(send("GET", ${goPath(found.path, found.query)}, ""), &${list}); err != nil {`,
    '\t\tlog.Fatal(err)',
    '\t}',
    `\t${goName(name)} := ${source.field === 'id' ? value : `url.PathEscape(${value})`}`,
  ];
}
