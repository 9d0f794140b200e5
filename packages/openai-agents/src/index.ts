/** What the package offers. */
// biome-ignore-all lint/performance/noBarrelFile: the one file that a package must have.
export { CommonplaceSession } from './session.ts';
