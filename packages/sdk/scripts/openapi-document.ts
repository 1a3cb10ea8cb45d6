/** The part of JSON Schema (2020-12) that the API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  /** The meaning of each value of `enum`. */
  readonly 'x-enumDescriptions'?: Readonly<Record<string, string>>;
  readonly const?: unknown;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly pattern?: string;
}

/** Whether an object has texts under names of the caller. */
export function isTextMap({ additionalProperties }: Schema): boolean {
  // Any schema may stand here; only its type matters.
  return (additionalProperties as Schema | undefined)?.type === 'string';
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A body by its media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** What the generators read of one operation. */
export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

/** What the generators read of an OpenAPI document. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}
