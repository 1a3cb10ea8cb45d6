// The packages that a production installation needs beside the bundle, and the ones that the bundle leaves out.

/** Packages with native code, which cannot be bundled. */
export const nativePackages = ['@node-rs/argon2'];

/** Modules that libraries load at each start, and of which the service uses nothing: what the libraries import. */
const unused = {
  glob: { names: ['glob'], use: '@fastify/static without a wildcard' },
  https: { names: ['request'], use: "prom-client's push gateway", of: 'prom-client' },
  'node:http2': { names: ['createServer', 'createSecureServer'], use: 'HTTP/2 of fastify', of: 'fastify/' },
  'node:https': { names: ['createServer'], use: 'TLS of fastify', of: 'fastify/' },
  '@opentelemetry/api': { names: ['context', 'trace'], use: 'exemplars of prom-client', of: 'prom-client' },
};

/** A plugin of rolldown that replaces these modules with functions and objects that throw when they are used. */
export const unusedPackages = {
  name: 'unused-packages',
  resolveId(id, importer = '') {
    // Traces use the package that prom-client only loads.
    const isUnused = Object.hasOwn(unused, id) && importer.includes(`/${unused[id].of ?? ''}`);
    return isUnused ? `\0unused:${id}` : null;
  },
  load(id) {
    const name = /^\0unused:(.*)$/.exec(id)?.[1];
    if (name === undefined) return null;
    const { names, use } = unused[name];
    const message = `${name}, for ${use}, is not in the bundle: remove it from "unused" in scripts/production-packages.mjs.`;
    return `
      const refuse = () => { throw new Error(${JSON.stringify(message)}); };
      for (const name of ${JSON.stringify(names)}) exports[name] = new Proxy(refuse, { get: refuse });
    `;
  },
};
