import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

// Reads the declarations of Stripe's library. Stripe generates them from the OpenAPI description of its API, for exactly
// the API version that the library sends.

const root = dirname(fileURLToPath(import.meta.resolve('stripe')));

/** A type of a declaration. */
export type Type =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'void' | 'other string' | 'anything' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'union'; readonly members: readonly Type[] }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly values: Type | null }
  | { readonly kind: 'reference'; readonly path: readonly string[]; readonly args: readonly Type[] };

/** A field of an object. */
export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: Type;
}

/** A type and the scope in which its names are resolved. */
export interface Scoped {
  readonly type: Type;
  readonly scope: Scope;
}

interface Declaration {
  readonly type: Type;
  readonly parents: readonly Type[];
  readonly parameters: readonly string[];
}

/** The names of a module, of a namespace in it, or of the type parameters of a declaration. */
export interface Scope {
  readonly parent: Scope | null;
  readonly file: string;
  readonly types: Map<string, Declaration>;
  readonly bound: Map<string, Scoped>;
  readonly namespaces: Map<string, Scope>;
  /** Local names by the file and the name there; the name is null for a whole module. */
  readonly imports: Map<string, { readonly file: string; readonly name: string | null }>;
  /** The methods of the resource classes with the types of their parameters and results. */
  readonly methods: Map<string, { readonly params: Type | null; readonly result: Type | null }>;
}

// biome-ignore lint/suspicious/noExplicitAny: a syntax tree, which is converted here and nowhere else.
type Syntax = any;

function newScope(parent: Scope | null, file: string): Scope {
  const maps = { types: new Map(), bound: new Map(), namespaces: new Map(), imports: new Map(), methods: new Map() };
  return { parent, file, ...maps };
}

const modules = new Map<string, Scope>();

/** Loads a module by its path below the library's folder, without extension: `resources/Invoices`. */
export function loadModule(file: string): Scope {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const scope = newScope(null, file);
  modules.set(file, scope);
  const path = join(root, `${file}.d.ts`);
  if (!existsSync(path)) throw new Error(`Stripe's library has no ${path}.`);
  const { body } = parseAst(readFileSync(path, 'utf8'), { lang: 'dts' }, path);
  for (const statement of body) declare(scope, statement);
  return scope;
}

/** Returns the text of a module's code, for the paths of its requests. */
export function readCode(file: string): string {
  return readFileSync(join(root, `${file}.js`), 'utf8');
}

function declare(scope: Scope, statement: Syntax): void {
  switch (statement.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
      declareNames(scope, statement);
      if (statement.declaration) declare(scope, statement.declaration);
      return;
    case 'TSInterfaceDeclaration':
      add(scope, statement, { kind: 'object', ...membersOf(statement.body.body) }, statement.extends.map(parentOf));
      return;
    case 'TSTypeAliasDeclaration':
      add(scope, statement, toType(statement.typeAnnotation), []);
      return;
    case 'TSModuleDeclaration': {
      const inner = scope.namespaces.get(statement.id.name) ?? newScope(scope, scope.file);
      scope.namespaces.set(statement.id.name, inner);
      for (const nested of statement.body.body) declare(inner, nested);
      return;
    }
    case 'ClassDeclaration':
      for (const method of statement.body.body) declareMethod(scope, method);
      return;
  }
}

/** Declares the names that a module imports, or exports from another module. */
function declareNames(scope: Scope, { type, source, specifiers }: Syntax): void {
  if (!source) return;
  const file = join(dirname(scope.file), source.value.replace(/\.js$/, ''));
  for (const { local, imported, exported } of specifiers) {
    if (type === 'ImportDeclaration') scope.imports.set(local.name, { file, name: imported?.name ?? null });
    else scope.imports.set(exported.name, { file, name: local.name });
  }
}

function parentOf({ expression, typeArguments }: Syntax): Type {
  return reference(expression, typeArguments);
}

function add(scope: Scope, { id, typeParameters }: Syntax, type: Type, parents: Type[]): void {
  const parameters = (typeParameters?.params ?? []).map(({ name }: Syntax) => name.name);
  scope.types.set(id.name, { type, parents, parameters });
}

function declareMethod(scope: Scope, { key, value }: Syntax): void {
  const params = value?.params?.find(({ name }: Syntax) => name === 'params')?.typeAnnotation?.typeAnnotation;
  const result = value?.returnType?.typeAnnotation;
  scope.methods.set(key.name, { params: params ? toType(params) : null, result: result ? toType(result) : null });
}

function membersOf(body: Syntax[]): { members: Member[]; values: Type | null } {
  const members: Member[] = [];
  let values: Type | null = null;
  for (const { type, key, optional, typeAnnotation } of body) {
    if (type === 'TSPropertySignature') {
      members.push({ name: key.name ?? key.value, isOptional: optional, type: toType(typeAnnotation.typeAnnotation) });
    } else if (type === 'TSIndexSignature') values = toType(typeAnnotation.typeAnnotation);
  }
  return { members, values };
}

const keywords: Readonly<Record<string, Type>> = {
  TSStringKeyword: { kind: 'string' },
  TSNumberKeyword: { kind: 'number' },
  TSBooleanKeyword: { kind: 'boolean' },
  TSNullKeyword: { kind: 'null' },
  TSVoidKeyword: { kind: 'void' },
  TSAnyKeyword: { kind: 'anything' },
  TSUnknownKeyword: { kind: 'anything' },
};

function toType(node: Syntax): Type {
  const keyword = keywords[node.type];
  if (keyword !== undefined) return keyword;
  switch (node.type) {
    case 'TSLiteralType':
      return { kind: 'literal', value: node.literal.value };
    case 'TSUnionType':
      return { kind: 'union', members: node.types.map(toType) };
    case 'TSArrayType':
      return { kind: 'list', element: toType(node.elementType) };
    case 'TSTypeLiteral':
      return { kind: 'object', ...membersOf(node.members) };
    case 'TSTypeReference':
      return reference(node.typeName, node.typeArguments);
    default:
      return { kind: 'anything' };
  }
}

function reference(name: Syntax, typeArguments: Syntax): Type {
  const [path, args] = [pathOf(name), (typeArguments?.params ?? []).map(toType)];
  return path.join('.') === 'Array' ? { kind: 'list', element: args[0] } : { kind: 'reference', path, args };
}

function pathOf(name: Syntax): string[] {
  if (name.type === 'Identifier') return [name.name];
  const [left, right] = name.type === 'TSQualifiedName' ? [name.left, name.right] : [name.object, name.property];
  return [...pathOf(left), right.name];
}

/** Returns the scope of a namespace or of a module that is imported as a whole. */
function findNamespace(scope: Scope, name: string): Scope | undefined {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const own = at.namespaces.get(name);
    if (own !== undefined) return own;
    const imported = at.imports.get(name);
    if (imported === undefined) continue;
    const module = loadModule(imported.file);
    return imported.name === null ? module : findNamespace(module, imported.name);
  }
  return undefined;
}

function findDeclaration(scope: Scope, name: string): { declaration: Declaration; scope: Scope } | undefined {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const declaration = at.types.get(name);
    if (declaration !== undefined) return { declaration, scope: at };
    const imported = at.imports.get(name);
    if (imported?.name) return findDeclaration(loadModule(imported.file), imported.name);
  }
  return undefined;
}

function findBound(scope: Scope, name: string): Scoped | undefined {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const bound = at.bound.get(name);
    if (bound !== undefined) return bound;
  }
  return undefined;
}

/** Types of the library that have another form in a request or a response. */
const special: Readonly<Record<string, Type>> = {
  Decimal: { kind: 'string' },
  OtherString: { kind: 'other string' },
};

/** Resolves the name of a type. Throws for a name that the library does not declare. */
export function resolve({ type, scope }: Scoped): Scoped {
  if (type.kind !== 'reference') return { type, scope };
  const { path, args } = type;
  const name = path.at(-1) ?? '';
  if (path.length === 1) {
    const known = special[name] ?? null;
    if (known !== null) return { type: known, scope };
    const bound = findBound(scope, name);
    if (bound !== undefined) return resolve(bound);
  }
  let at: Scope | undefined = scope;
  for (const part of path.slice(0, -1)) at = at && findNamespace(at, part);
  const found = at && findDeclaration(at, name);
  if (!found) throw new Error(`Stripe's library does not declare ${path.join('.')} (${scope.file}).`);
  return instantiate(
    found.declaration,
    found.scope,
    args.map((argument) => ({ type: argument, scope })),
  );
}

function instantiate({ type, parents, parameters }: Declaration, scope: Scope, args: readonly Scoped[]): Scoped {
  const inner = newScope(scope, scope.file);
  for (const [position, parameter] of parameters.entries()) {
    const argument = args[position];
    if (argument !== undefined) inner.bound.set(parameter, argument);
  }
  if (type.kind !== 'object' || parents.length === 0) return resolve({ type, scope: inner });
  return { type: withInherited(type, parents, inner), scope: inner };
}

/** Adds the inherited fields. A parent is declared in the same module or in `shared`, so its names resolve here too. */
function withInherited(type: Extract<Type, { kind: 'object' }>, parents: readonly Type[], scope: Scope): Type {
  const members = new Map<string, Member>();
  for (const parent of parents) {
    const inherited = resolve({ type: parent, scope }).type;
    if (inherited.kind === 'object') for (const member of inherited.members) members.set(member.name, member);
  }
  for (const member of type.members) members.set(member.name, member);
  return { ...type, members: [...members.values()] };
}
