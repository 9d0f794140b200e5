/** What the package offers, besides the middleware, which needs the package langchain. */
// biome-ignore-all lint/performance/noBarrelFile: the one file that a package must have.
export { CommonplaceChatMessageHistory } from './chat-history.ts';
export { CommonplaceRetriever, type CommonplaceRetrieverInput, type RetrievedMetadata } from './retriever.ts';
