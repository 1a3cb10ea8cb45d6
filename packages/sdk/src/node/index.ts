export { type Closable, type CloseOnExitOptions, closeOnExit } from './close-on-exit.ts';
export { fileStore } from './file-store.ts';
export { machineComponents } from './machine-components.ts';
export { type FingerprintOptions, machineFingerprint } from './machine-fingerprint.ts';
export type { System } from './system.ts';
export { verifyArtifact } from './verify-artifact.ts';
