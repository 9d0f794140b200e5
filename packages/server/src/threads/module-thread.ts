/** A thread that answers with the functions of any module, for pools. */
import { serveThread } from './serve.ts';

serveThread<Record<string, (...args: unknown[]) => unknown>, { readonly module: string }>(async ({ module }) => await import(module));
