// Writes the sources of the SDKs that are generated, if what they come from has changed since.
import { builtFolder } from './built-folder.mjs';

const scripts = 'packages/sdk/scripts';
const python = 'sdks/python/src/licensing_sdk';

/** The generated sources of the SDKs. The guides offer the SDKs as downloads, so a start needs them. */
export const sdkSources = builtFolder({
  folder: 'packages/sdk',
  outputs: [
    ...['api-types.ts', 'messages.ts'].map((name) => `packages/sdk/src/${name}`),
    ...['api_types', 'codes', '_messages', '_async_resources', '_resources'].map((name) => `${python}/${name}.py`),
    ...['client', 'management', '_guard_calls', '_resource_base'].map((name) => `${python}/${name}.py`),
    ...['api/types.go', 'management_resources.go', 'messages.go'].map((name) => `sdks/go/${name}`),
    ...['messages.c', 'messages.h'].map((name) => `sdks/c/src/${name}`),
  ],
  script: `${scripts}/generate.ts`,
  inputs: [
    ...['openapi.json', 'packages/sdk/messages.json', 'packages/sdk/src/naming.ts', scripts],
    ...['async_client', 'async_management', '_async_guard_calls', '_async_resource_base'].map(
      (name) => `${python}/${name}.py`,
    ),
  ],
});

sdkSources.buildIfMain(import.meta.url);
