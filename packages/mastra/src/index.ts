/** What the package offers. */
// biome-ignore-all lint/performance/noBarrelFile: the one file that a package must have.
export type { ConversationPlace, RememberProcessor } from './mastra.ts';
export { type RememberOptions, remember } from './remember.ts';
