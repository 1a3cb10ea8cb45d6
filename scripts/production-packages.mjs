// The packages that a production installation needs beside the bundle.

/** Packages with native code, which cannot be bundled. */
export const nativePackages = ['@node-rs/argon2'];
