/** The part of Eleventy that the build uses; the package has no types of its own. */
declare module '@11ty/eleventy' {
  import type MarkdownIt from 'markdown-it';

  interface Configuration {
    setUseGitIgnore(uses: boolean): void;
    setLibrary(extension: 'md', library: MarkdownIt): void;
    addTemplate<Data>(path: string, render: (data: Data) => string, frontMatter?: object): void;
    addGlobalData(name: string, value: unknown): void;
  }

  interface Options {
    readonly quietMode: boolean;
    config(configuration: Configuration): object;
  }

  export class Eleventy {
    constructor(input: string, output: string, options: Options);
    write(): Promise<void>;
  }
}
