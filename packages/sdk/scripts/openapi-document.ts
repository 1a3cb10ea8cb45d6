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
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** A parameter of an operation. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

/** What the generator reads of one operation. */
export interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
}

/** What the generator reads of an OpenAPI document. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}
