export type { LicenseState } from '../guard/state.ts';
export type { LicenseSource } from '../license-source.ts';
export {
  type ElectronCall,
  type ElectronFrame,
  type ElectronIpcMain,
  type ExposeLicenseOptions,
  exposeLicense,
} from './main.ts';
export { type LicenseBridge, rendererLicense } from './renderer.ts';
