// The packages that a production installation needs beside the bundle.

/** Packages with native code, which cannot be bundled. */
export const nativePackages = ['@node-rs/argon2'];

/** Bundled packages whose other files the service serves. */
export const servedPackages = ['@fastify/swagger-ui'];
